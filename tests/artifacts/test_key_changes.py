"""What made a key another one, in words."""

import pytest

from assay.artifacts.key_changes import changes

PARTS = {
    "assay": "a" * 64,
    "stage_version": 1,
    "pack": {"tools": "t" * 64, "tree": "f" * 64},
    "settings": {"exhaustive": False, "limits": {"tool_timeout_s": 5.0, "memory_mb": 512}, "templates": []},
    "modules": {"numpy": "1.0"},
    "inputs": {"bind": "b" * 64},
}


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"assay": "c" * 64}, "another version of assay or of Python"),
        ({"stage_version": 2}, "version 2 of the stage (was 1)"),
        ({"settings": {**PARTS["settings"], "exhaustive": True}}, "setting exhaustive: false -> true"),
        (
            {"settings": {**PARTS["settings"], "limits": {"tool_timeout_s": 0.5, "memory_mb": 512}}},
            "setting limits.tool_timeout_s: 5.0 -> 0.5",
        ),
        ({"settings": {**PARTS["settings"], "clock": None}}, "setting clock: absent -> null"),
        ({"modules": {"numpy": "2.0"}}, "module numpy: 1.0 -> 2.0"),
        ({"modules": {}}, "module numpy: 1.0 -> absent"),
        ({"inputs": {"bind": "c" * 64}}, "what stage bind left"),
        ({"pack": {"tools": "u" * 64, "tree": "g" * 64}}, "tools changed"),
        ({"pack": {"tools": "t" * 64, "assertions": "u" * 64, "tree": "g" * 64}}, "assertions added"),
        ({"pack": {"tools": "t" * 64, "tree": "g" * 64}}, "a file without a role changed"),
    ],
)
def test_each_part_is_named_by_itself(tmp_path, changed, text):
    assert [str(each) for each in changes(PARTS, PARTS | changed, tmp_path)] == [text]


def test_the_same_parts_differ_in_nothing(tmp_path):
    assert changes(PARTS, PARTS, tmp_path) == []


def test_long_values_are_told_apart_beyond_what_is_shown(tmp_path):
    texts = ["x" * 500 + end for end in "ab"]
    before, after = ({**PARTS, "settings": {"system_prompt": text}} for text in texts)
    (change,) = changes(before, after, tmp_path)
    assert change.name == "system_prompt"
    assert len(change.before) < 100


def test_files_are_named_when_both_snapshots_are_there(tmp_path):
    for name, files in (("f" * 64, {"a.py": "1", "gone.py": "1"}), ("g" * 64, {"a.py": "2", "deep/new.py": "1"})):
        for path, text in files.items():
            (tmp_path / name / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name / path).write_text(text)
    found = changes(PARTS, PARTS | {"pack": {"tools": "u" * 64, "tree": "g" * 64}}, tmp_path)
    assert [str(each) for each in found] == ["a.py changed", "deep/new.py added", "gone.py removed"]


def test_causes_come_before_what_follows_from_them(tmp_path):
    after = {**PARTS, "inputs": {"bind": "c" * 64}, "modules": {}, "assay": "c" * 64}
    assert [each.part for each in changes(PARTS, after, tmp_path)] == ["assay", "module", "input"]
