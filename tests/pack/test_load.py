import json
import os
import subprocess
import sys
import time

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.pack.fixtures import visible_fixtures
from assay.pack.load import load_pack
from assay.pack.model import ConfirmationProtocol
from tests.support.pack_files import (
    BACKEND,
    FILES,
    FIXTURES,
    HELD_OUT,
    MANIFEST,
    TEMPLATES,
    TOOLS,
    VALIDATION_CASES,
    codes,
    edit,
    load,
    write_pack,
)


@pytest.fixture
def pack(tmp_path):
    result = load(write_pack(tmp_path / "pack", held_out=HELD_OUT))
    assert result.findings == ()
    return result.pack


def test_the_manifest(pack):
    manifest = pack.manifest
    assert (manifest.pack_id, manifest.version, manifest.languages) == ("records_desk", "0.1.0", ("en",))
    assert manifest.clock == "2026-01-01T00:00:00+00:00"
    assert manifest.primary_keys == {"records": "record_id"}
    assert manifest.absent_ids == {"records": ("REC-ABSENT-1",)}
    assert manifest.confirmation == ConfirmationProtocol()
    assert manifest.assistant_turn_templates["final_answer"] == {"en": "Done."}
    assert manifest.system_prompt is None


def test_the_confirmation_protocol_keeps_defaults_for_what_is_not_renamed(tmp_path):
    manifest = MANIFEST + "confirmation: {parameter: approve}\n"
    loaded = load(write_pack(tmp_path / "pack", manifest=manifest)).pack.manifest
    assert loaded.confirmation == ConfirmationProtocol(parameter="approve")


@pytest.mark.parametrize(
    ("version", "text"),
    [("0.10", "0.1"), ("2", "2"), ('"0.10"', "0.10"), ("1.2.3", "1.2.3"), ("2026-01-01", "2026-01-01")],
)
def test_the_version_is_the_text_that_ids_are_made_from(tmp_path, version, text):
    manifest = MANIFEST.replace('version: "0.1.0"', f"version: {version}")
    assert load(write_pack(tmp_path / "pack", manifest=manifest)).pack.manifest.version == text


def test_templates(pack):
    first, _, asking, _ = pack.templates
    assert first.tools_present == ("get_record",)
    assert (first.call_order, first.call_order_prefix, first.mutates) == ("strict", None, False)
    assert first.slots[0].label == {"en": "record id"}
    assert [slot.name for slot in asking.withheld] == ["record_id"]
    assert [milestone.key for milestone in asking.milestones] == ["which", "lookup", "final_answer@2"]
    assert asking.simulator_turns[0].after == "which"
    assert not any(template.faulty for template in pack.templates)


def test_defaults_of_a_template(pack):
    missing = pack.template_named("starter_missing_record")
    assert missing.call_order == "strict"
    assert missing.tools_present == ("get_record",)
    assert missing.edge_signatures == ()
    assert missing.paraphrase.allowed is False
    assert missing.slots[0].label is None


def test_the_older_name_of_the_opening_turns(tmp_path):
    folder = write_pack(tmp_path / "pack")
    edit(folder / "task_templates.yaml", "user_turn_templates:", "first_turn_templates:")
    result = load(folder)
    assert result.findings == ()
    assert result.pack.templates[0].user_turn_templates == {"en": "Show me record {record_id}."}


def test_edge_signatures_are_trimmed_and_sorted(tmp_path):
    folder = write_pack(tmp_path / "pack")
    edit(folder / "task_templates.yaml", "call_order: strict", "edge_signatures: [' b ', a]")
    assert load(folder).pack.templates[0].edge_signatures == ("a", "b")


def test_an_empty_list_of_tools_present_exposes_nothing(tmp_path):
    folder = write_pack(tmp_path / "pack")
    edit(folder / "task_templates.yaml", "required_tools: []", "required_tools: []\n  tools_present: []")
    result = load(folder)
    assert result.findings == ()
    assert result.pack.templates[3].tools_present == ()


def test_slot_updates_are_kept_as_written(tmp_path):
    folder = write_pack(tmp_path / "pack")
    update = "      slot_updates: {record_id: {source: 'literal:x', filter: 5, bind_as: old}}\n"
    edit(folder / "task_templates.yaml", "    - after: which\n", "    - after: which\n" + update)
    result = load(folder)
    assert result.findings == ()
    written = result.pack.templates[2].simulator_turns[0].slot_updates[0]
    assert (written.slot, written.source, written.filter, written.bind_as) == ("record_id", "literal:x", 5, "old")


def test_a_faulty_template_is_marked_and_the_others_are_not(tmp_path):
    folder = write_pack(tmp_path / "pack")
    edit(folder / "task_templates.yaml", "visible_in_first_turn: true", "visible_in_first_turn: 1")
    assert [template.faulty for template in load(folder).pack.templates] == [True, False, False, False]


def test_a_warning_makes_no_template_faulty(tmp_path):
    folder = write_pack(tmp_path / "pack")
    edit(folder / "task_templates.yaml", "  difficulty: easy", "  reviewer: me")
    result = load(folder)
    assert codes(result) == ["unknown_key"]
    assert not any(template.faulty for template in result.pack.templates)


def test_a_template_without_an_id_is_checked_and_left_out(tmp_path):
    folder = write_pack(tmp_path / "pack")
    edit(folder / "task_templates.yaml", "- template_id: starter_get_record\n  i", "- i")
    edit(folder / "task_templates.yaml", "call_order: strict", "mutates: 1")
    result = load(folder)
    assert codes(result) == ["missing_field", "wrong_type"]
    assert len(result.pack.templates) == 3


def test_of_two_templates_with_one_id_the_second_is_faulty(tmp_path):
    folder = write_pack(tmp_path / "pack")
    edit(folder / "task_templates.yaml", "starter_missing_record", "starter_get_record")
    assert [template.faulty for template in load(folder).pack.templates] == [False, True, False, False]


def test_flags_of_tools_may_stand_beside_the_function_or_in_it(tmp_path):
    beside = TOOLS.replace('"type": "function",', '"type": "function", "x-mutates": true,')
    inside = TOOLS.replace('"name": "get_record",', '"name": "get_record", "x-requires-confirmation": true,')
    tool = load(write_pack(tmp_path / "a", tools=beside)).pack.tools[0]
    assert (tool.mutates, tool.requires_confirmation) == (True, False)
    tool = load(write_pack(tmp_path / "b", tools=inside)).pack.tools[0]
    assert (tool.mutates, tool.requires_confirmation) == (False, True)


def test_cases(pack):
    first, miss, _ = pack.cases
    assert (first.id, first.tool, first.arguments) == ("success_get_record", "get_record", {"record_id": "REC-001"})
    assert first.reset_before is True
    assert miss.expect["error_code"] == "not_found"
    assert not first.faulty


def test_a_case_with_a_fault_keeps_its_position(tmp_path):
    cases = "- tool: get_record\n- {id: b, tool: x, reset_before: false}\n- 7\n- {id: d, tool: x, arguments: null}\n"
    loaded = load(write_pack(tmp_path / "pack", validation_cases=cases)).pack.cases
    assert [(case.index, case.id, case.tool, case.faulty) for case in loaded] == [
        (0, "case@0", "get_record", True),
        (1, "b", "x", False),
        (3, "d", "x", False),
    ]
    assert loaded[2].arguments == {}


# Fixtures, reserved rows


def test_reserved_rows_are_withheld(pack):
    assert [row["record_id"] for row in visible_fixtures(pack)["records"]] == ["REC-001"]
    assert len(pack.fixtures["records"]) == 2


@pytest.mark.parametrize("held_out", [None, HELD_OUT.replace("state: false", "state: true")])
def test_without_withholding_it_is_the_very_same_object(tmp_path, held_out):
    loaded = load(write_pack(tmp_path / "pack", held_out=held_out)).pack
    assert visible_fixtures(loaded) is loaded.fixtures


def test_rows_without_an_id_stay(tmp_path):
    fixtures = FIXTURES.replace('"records": [', '"records": [{"name": "none"}, 5,')
    loaded = load(write_pack(tmp_path / "pack", held_out=HELD_OUT, fixtures=fixtures)).pack
    assert visible_fixtures(loaded)["records"][:2] == [{"name": "none"}, 5]
    assert len(visible_fixtures(loaded)["records"]) == 3


def test_no_fixtures_are_no_empty_fixtures(tmp_path):
    manifest = MANIFEST.replace("  fixtures: fixtures.json\n", "")
    loaded = load(write_pack(tmp_path / "a", manifest=manifest, fixtures=None)).pack
    assert loaded.fixtures is None
    assert "fixtures" not in loaded.unusable
    assert visible_fixtures(loaded) is None
    assert load(write_pack(tmp_path / "b", fixtures="{}")).pack.fixtures == {}


def test_a_policy_over_a_pack_without_fixtures(tmp_path):
    manifest = MANIFEST.replace("  fixtures: fixtures.json\n", "") + "held_out: held_out.yaml\n"
    result = load(write_pack(tmp_path / "pack", manifest=manifest, held_out=HELD_OUT, fixtures=None))
    assert "held_out_unknown_collection" in codes(result)


def test_a_policy_says_nothing_about_fixtures_that_cannot_be_read(tmp_path):
    result = load(write_pack(tmp_path / "pack", held_out=HELD_OUT, fixtures="{"))
    assert codes(result) == ["json_syntax"]


# What can still be read is read


@pytest.mark.parametrize(
    ("file", "role"),
    [
        ("tools", "tools"),
        ("fixtures", "fixtures"),
        ("task_templates", "templates"),
        ("assertions", "assertions"),
        ("backend", "backend"),
        ("validation_cases", "validation_cases"),
    ],
)
def test_a_missing_file_hides_nothing_else(tmp_path, file, role):
    folder = write_pack(tmp_path / "pack", **{file: None})
    if file != "validation_cases":
        edit(folder / "validation_cases.yaml", "reset_before: true", "reset_before: 1")
    if file != "task_templates":
        edit(folder / "task_templates.yaml", "difficulty: easy", "difficulty: []")
    result = load(folder)
    assert result.pack.unusable == {role}
    expected = {"missing_pack_file": 1, "wrong_type": 1 if file in ("validation_cases", "task_templates") else 2}
    assert {code: codes(result).count(code) for code in codes(result)} == expected


@pytest.mark.parametrize("file", ["tools", "fixtures", "task_templates", "validation_cases"])
@pytest.mark.parametrize("content", [b"\xff", b"\0", b"{", b"[" * 1000, b"&a [*a, *b"])
def test_a_broken_file_hides_nothing_else(tmp_path, file, content):
    result = load(write_pack(tmp_path / "pack", **{file: content}))
    assert len(result.pack.unusable) == 1
    assert {found.place.file for found in result.findings} == {
        {"task_templates": "task_templates.yaml", "validation_cases": "validation_cases.yaml"}.get(file, f"{file}.json")
    }


def test_unknown_tools_are_not_reported_when_the_catalogue_cannot_be_read(tmp_path):
    result = load(write_pack(tmp_path / "pack", tools="["))
    assert codes(result) == ["json_syntax"]
    assert result.pack.templates[0].tools_present == ("get_record",)


def test_findings_of_faults_that_have_no_place_in_a_file(tmp_path):
    result = load(tmp_path / "nowhere")
    assert result.pack is None
    assert codes(result) == ["missing_pack_file"]


# Costs


def test_five_hundred_templates_load_quickly(tmp_path):
    one, *_ = TEMPLATES.split("- template_id: starter_missing_record")
    many = "".join(one.replace("starter_get_record", f"starter_{number}") for number in range(500))
    folder = write_pack(tmp_path / "pack", task_templates=many)
    load(folder)
    started = time.process_time()
    result = load(folder)
    elapsed = time.process_time() - started
    assert len(result.pack.templates) == 500
    assert result.findings == ()
    assert elapsed < 1


def test_importing_the_loader_imports_nothing_heavy():
    heavy = ["jsonschema", "pyarrow", "pandas", "prefect", "duckdb", "rich", "typer"]
    program = f"import sys, assay.pack.load, assay.config; print([name for name in {heavy} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


# Any value at any node

DOCUMENTS = {
    "manifest.yaml": yaml.safe_load(MANIFEST) | {"held_out": "held_out.yaml"},
    "tools.json": json.loads(TOOLS),
    "fixtures.json": json.loads(FIXTURES),
    "task_templates.yaml": yaml.safe_load(TEMPLATES),
    "validation_cases.yaml": yaml.safe_load(VALIDATION_CASES),
    "held_out.yaml": yaml.safe_load(HELD_OUT),
}


def nodes(value, path=()):
    yield path
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, part in parts:
        yield from nodes(part, (*path, step))


NODES = [(file, path) for file, document in DOCUMENTS.items() for path in nodes(document)]
SMALL = [
    None,
    True,
    "",
    0,
    -1,
    1.5,
    [],
    {},
    "x",
    ["x"],
    {"x": 1},
    [None],
    {"": None},
    "get_record",
    "a\0b",
    "../x",
    "é" * 300,
]
VALUES = st.sampled_from(SMALL) | st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


def replaced(document, path, value):
    if not path:
        return value
    copied = json.loads(json.dumps(document))
    parent = copied
    for step in path[:-1]:
        parent = parent[step]
    parent[path[-1]] = value
    return copied


def written(file, document):
    return json.dumps(document) if file.endswith(".json") else yaml.safe_dump(document, allow_unicode=True)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.sampled_from(NODES), VALUES)
def test_any_value_at_any_node_is_reported_or_read(tmp_path, node, value):
    file, path = node
    folder = tmp_path / "pack"
    write_pack(folder, held_out=HELD_OUT)
    (folder / file).write_text(written(file, replaced(DOCUMENTS[file], path, value)), encoding="utf-8")
    result = load(folder)
    again = load(folder)
    assert result.findings == again.findings
    assert result.pack is not None or file == "manifest.yaml"
    for found in result.findings:
        assert found.message.endswith((".", "?"))
        assert str(tmp_path) not in found.message
        assert found.place is None or (folder / found.place.file).exists()


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.sampled_from(sorted(FILES)), st.data())
def test_a_file_cut_anywhere_is_reported_or_read(tmp_path, file, data):
    folder = write_pack(tmp_path / "pack")
    whole = (folder / file).read_bytes()
    (folder / file).write_bytes(whole[: data.draw(st.integers(0, len(whole)))])
    load(folder)


def test_messages_stay_short_and_on_one_line_whatever_the_names_are(tmp_path):
    name = "x\n" * 300
    template = {
        "template_id": name,
        name: 1,
        "turn_policy": name,
        "required_tools": [name],
        "slots": {name: {name: 1}},
        "assistant_milestones": [{"type": name, "id": name, "args": {}}, {"type": "tool_call", "id": name}],
        "user_turn_templates": {name: 5},
    }
    result = load(write_pack(tmp_path / "pack", task_templates=json.dumps([template, template])))
    assert len(result.findings) > 15
    for found in result.findings:
        assert len(found.message) < 700
        assert "\n" not in found.message + found.fix


def test_a_role_file_that_plays_two_roles(tmp_path):
    manifest = MANIFEST.replace("validation_cases: validation_cases.yaml", "validation_cases: task_templates.yaml")
    result = load(write_pack(tmp_path / "pack", manifest=manifest))
    assert result.pack.paths.validation_cases == "task_templates.yaml"
    assert "missing_field" in codes(result)


def test_editing_the_pack_after_loading_changes_nothing(tmp_path):
    folder = write_pack(tmp_path / "pack")
    loaded = load(folder).pack
    edit(folder / "backend.py", "import copy", "import nothing")
    assert (loaded.root / "backend.py").read_text() == BACKEND


def test_the_default_place_of_snapshots_is_the_users_cache(tmp_path, monkeypatch):
    from assay.config import RunConfig

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = write_pack(tmp_path / "pack")
    result = load_pack(RunConfig(manifest_path=folder / "manifest.yaml"))
    assert str(result.pack.root).startswith(str(tmp_path) + os.sep)
