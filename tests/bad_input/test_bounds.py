"""What is bounded inside one file, at the edge of each bound."""

import json
import time

import pytest
import yaml

from assay.config import ConfigError, config_for_pack, load_config
from assay.findings import Place, finding
from assay.findings.spelling import near_miss
from assay.pack.bounds import MAX_DOCUMENT_BYTES, MAX_LISTED, MAX_NAME, MAX_PATH, MAX_TEXT
from assay.pack.collector import bounded
from assay.pack.json_reader import read_json
from assay.pack.load import load_pack
from assay.pack.tree import printable
from assay.pack.yaml_reader import read_yaml
from assay.runner import RunRequest, validate
from tests.bad_input.mutants import screen
from tests.support.packs import copy_of_tiny_library

LONGEST = "n" * MAX_NAME


def codes(findings):
    return [each.code for each in findings]


# Names and keys


def renamed(folder, name):
    """Copy the small pack; one template, one case, one tool and the pack itself get a name of that length."""
    copy_of_tiny_library(folder)
    for file, field in (("task_templates.yaml", "template_id"), ("validation_cases.yaml", "id")):
        items = yaml.safe_load((folder / file).read_text())
        items[0][field] = name
        (folder / file).write_text(json.dumps(items, indent=1))
    tools = json.loads((folder / "tools.json").read_text())
    tools[0]["function"]["name"] = name
    (folder / "tools.json").write_text(json.dumps(tools, indent=1))
    manifest = yaml.safe_load((folder / "manifest.yaml").read_text())
    manifest["pack_id"] = name
    (folder / "manifest.yaml").write_text(json.dumps(manifest, indent=1))
    return folder


def test_a_name_of_500_characters_is_one(tmp_path):
    result = load_pack(config_for_pack(renamed(tmp_path / "pack", LONGEST)), tmp_path / "snapshots")
    assert "name_too_long" not in codes(result.findings)
    assert (result.pack.manifest.pack_id, result.pack.templates[0].template_id) == (LONGEST, LONGEST)


def test_a_name_of_501_characters_is_told_at_its_place_and_never_used(tmp_path):
    result = load_pack(config_for_pack(renamed(tmp_path / "pack", LONGEST + "n")), tmp_path / "snapshots")
    long = [each for each in result.findings if each.code == "name_too_long"]
    assert [each.place for each in long] == [
        Place("manifest.yaml", 2, 13),
        Place("task_templates.yaml", 3, 18),
        Place("tools.json", 5, 12),
        Place("validation_cases.yaml", 3, 9),
    ]
    assert all("501 characters; at most 500" in each.message for each in long)
    said = [text for each in result.findings for text in each.to_json().values() if isinstance(text, str)]
    assert max(map(len, said)) < MAX_NAME
    assert all(len(each.name) <= MAX_NAME for each in result.pack.tools)


@pytest.mark.parametrize("read", [read_yaml, read_json])
def test_a_key_is_cut_at_500_characters(read):
    document, findings = read("x", json.dumps({LONGEST: 1, "a" + LONGEST: 2}))
    assert document.data == {LONGEST: 1, "a" + LONGEST[1:]: 2}
    assert [(each.code, each.place) for each in findings] == [("name_too_long", Place("x", 1, MAX_NAME + 9))]


def test_a_path_of_a_run_config_may_be_as_long_as_the_system_allows(tmp_path):
    config = tmp_path / "run.yaml"
    for length, is_too_long in ((MAX_PATH, False), (MAX_PATH + 1, True)):
        config.write_text(f"oracle_pack: {{manifest_path: {'p' * length}}}")
        if is_too_long:
            with pytest.raises(ConfigError, match="4097 characters; at most 4096"):
                load_config(config)
        else:
            assert len(load_config(config).manifest_path.name) == MAX_PATH


# Texts and values


def test_a_text_and_a_value_of_50000_characters_are_used_and_longer_ones_are_not(tmp_path):
    for length, expected in ((MAX_TEXT, []), (MAX_TEXT + 1, ["invalid_source", "text_too_long"])):
        folder = copy_of_tiny_library(tmp_path / str(length))
        fixtures = json.loads((folder / "fixtures.json").read_text())
        fixtures["patrons"][0]["patron_id"] = "p" * (length - 2)  # its JSON text has quotes
        (folder / "fixtures.json").write_text(json.dumps(fixtures))
        manifest = yaml.safe_load((folder / "manifest.yaml").read_text())
        manifest["assistant_turn_templates"]["decline"]["en"] = "d" * length
        (folder / "manifest.yaml").write_text(json.dumps(manifest))
        _, findings = screen(RunRequest(pack=str(folder), root=str(tmp_path / f"store-{length}")))
        long = [each for each in findings if each.code in ("invalid_source", "text_too_long")]
        assert sorted(codes(long)) == expected
        assert all("at most 50000" in each.message for each in long)


# Aliases


def aliased(text_length, uses):
    return f"a: &a {'x' * text_length}\nb: [{', '.join(['*a'] * uses)}]\n"


def test_aliases_may_stand_for_as_many_characters_as_a_file_may_hold():
    document, findings = read_yaml("x.yaml", aliased(MAX_DOCUMENT_BYTES // 16, 16))
    assert (len(document.data["b"]), findings) == (16, ())


@pytest.mark.parametrize(
    "source", [aliased(MAX_DOCUMENT_BYTES // 16, 17), "a: &a {k: %s}\nb: [{<<: [*a, *a]}]" % ("x" * 9_000_000)]
)
def test_a_long_text_behind_many_aliases_is_refused(source):
    document, findings = read_yaml("x.yaml", source)
    assert (document, codes(findings)) == (None, ["input_too_large"])
    assert "aliases" in findings[0].message
    assert findings[0].place.line == 2


# Findings


def test_of_one_code_in_one_file_500_findings_are_listed_in_their_order():
    found = [finding("assertion_failed", f"No. {index}", at=Place("x.yaml", index + 1)) for index in range(600)]
    other = finding("assertion_failed", "elsewhere", at=Place("y.yaml"))
    listed = bounded([*reversed(found), other])
    assert listed[:-2] == tuple(reversed(found[-MAX_LISTED:]))
    assert listed[-2] == other
    assert (listed[-1].code, listed[-1].detail) == ("further_findings", {"code": "assertion_failed", "count": 600})


def test_findings_of_later_stages_are_bounded_too(tmp_path):
    folder = copy_of_tiny_library(tmp_path / "pack")
    templates = yaml.safe_load((folder / "task_templates.yaml").read_text())
    templates[0]["assistant_milestones"] = [{"type": "ask_confirm"} for _ in range(MAX_LISTED + 101)]
    (folder / "task_templates.yaml").write_text(json.dumps(templates))
    report = validate(folder, root=tmp_path / "store")
    assert codes(report.findings).count("invalid_conversation_plan") == MAX_LISTED
    assert [each.detail["count"] for each in report.findings if each.code == "further_findings"] == [MAX_LISTED + 101]


# Comparing names


def test_very_many_wrong_names_are_compared_with_very_many_right_ones_in_bounded_time():
    known = tuple(f"get_book_number_{index}_of_the_whole_library" for index in range(2000))
    started = time.process_time()
    meant = {near_miss(f"get_book_number_{index}_of_the_hole_library", known) for index in range(500)}
    assert time.process_time() - started < 5
    assert None not in meant


def test_among_many_names_the_one_that_was_meant_is_found():
    known = [f"tool_{index}" for index in range(900)] + ["cancel_appointment", "book_appointment"]
    assert near_miss("cancel_apointment", known) == "cancel_appointment"


# File names


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("plain name.txt", "plain name.txt"),
        ("Prüfung.yaml", "Prüfung.yaml"),
        ("a\nb", "a\\nb"),
        ("\x1b[31m", "\\x1b[31m"),
        ("ab\u202ecd", "ab\\u202ecd"),
        ("\udcff", "\\xff"),
    ],
)
def test_file_names_are_shown_on_one_line(name, shown):
    assert printable(name) == shown
