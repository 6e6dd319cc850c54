"""Each rule of loading, shown by a Gold pack that breaks it in one place."""
# ruff: noqa: E501 - the table below is read row by row

from pathlib import Path

import pytest

from assay.findings import Place, Severity
from tests.support.pack_files import HELD_OUT, MANIFEST, codes, edit, load, only, spoil, write_pack

M, T, F, C = "manifest.yaml", "task_templates.yaml", "fixtures.json", "validation_cases.yaml"
TOOLS, H = "tools.json", "held_out.yaml"
TOO_LONG = "x" * 501

# file, old text, new text with § where the finding must stand, code, severity, check, part of the message
# fmt: off
BREAKS = [
    # identities
    (M, 'version: "0.1.0"', "version: §0.10", "identity_not_text", "warning", None, "written 0.10"),
    (M, 'version: "0.1.0"', "version: §true", "wrong_type", "error", None, "`version` must be a text, but it is true"),
    (M, "pack_id: records_desk", "pack_id: §12", "identity_not_text", "warning", None, "`pack_id`"),
    (M, "pack_id: records_desk", "pack_id: §'  '", "blank_text", "error", None, "`pack_id` is blank"),
    (M, "pack_id: records_desk\nv", "§v", "missing_field", "error", None, "`pack_id` is missing"),
    (M, "pack_id: records_desk", "pack_id: §null", "missing_field", "error", None, "`pack_id` is null"),
    (T, "template_id: starter_get_record", "template_id: §7", "identity_not_text", "warning", None, "`template_id`"),
    (C, "- id: success_get_record", "- id: §5.50", "identity_not_text", "warning", None, "written 5.50"),
    (T, "category: records", "category: §3", "identity_not_text", "warning", None, "`category`"),
    (T, "category: records", "category: §''", "blank_text", "warning", None, "`category` is blank"),
    (T, "difficulty: easy", "difficulty: §[]", "wrong_type", "error", None, "`difficulty` must be a text"),
    # names and keys beyond use
    (T, "template_id: starter_get_record", f"template_id: §{TOO_LONG}", "name_too_long", "error", None, "501 characters"),
    (T, "      label: {en:", f"      label: {{§{TOO_LONG}: x, en:", "name_too_long", "error", None, "at most 500"),
    (TOOLS, '"name": "get_record"', f'"name": §"{TOO_LONG}"', "name_too_long", "error", None, "`function.name` of tool 1"),
    (F, '"records": [', f'§"{TOO_LONG}": [], "records": [', "name_too_long", "error", None, "a key of 501 characters"),
    (M, '"Done."', f"§{'x' * 50_001}", "text_too_long", "error", None, "`assistant_turn_templates.final_answer.en` has 50001"),
    # unknown keys
    (M, "languages: [en]", "§language: [en]", "unknown_key", "error", None, "Did you mean `languages`?"),
    (M, "languages: [en]", "§owner: me", "unknown_key", "warning", None, '`owner`'),
    (M, "  tools: tools.json", "  §tool: tools.json", "unknown_key", "error", None, "Did you mean `tools`?"),
    (T, "  difficulty: easy", "  §dificulty: easy", "unknown_key", "error", None, "Did you mean `difficulty`?"),
    (T, "  difficulty: easy", "  §review: me", "unknown_key", "warning", None, '`review`'),
    (T, "      label:", "      §labels:", "unknown_key", "error", None, "Did you mean `label`?"),
    (T, "{type: final_answer}", "{type: final_answer, §ids: x}", "unknown_key", "error", None, "Did you mean `id`?"),
    (T, '{en: "record id"}', "{en: §' '}", "blank_text", "warning", None, "`slots.record_id.label.en` is blank"),
    (T, "    - after: which", "    - §text: x\n      after: which", "unknown_key", "warning", None, '`text`'),
    (T, "    allowed: false", "    §allow: false", "unknown_key", "error", None, "Did you mean `allowed`?"),
    (C, "result_class: success", "state_unchanged: §'yes'", "wrong_type", "error", None, "`expect.state_unchanged`"),
    (C, "  reset_before: true", "  §reset-before: true", "unknown_key", "error", None, "Did you mean `reset_before`?"),
    (M, "clock:", "confirmation: {§word: yea}\nclock:", "unknown_key", "error", None, '`word`'),
    (M, "clock:", "surface_guards: {§tool_name_exempt: []}\nclock:", "unknown_key", "error", None, "tool_names_exempt"),
    (M, "  final_answer:", "  §final_answers:", "unknown_key", "error", None, "Did you mean `final_answer`?"),
    (TOOLS, '"type": "function",', '"type": "function", §"x_mutates": true,', "unknown_key", "error", None, "x-mutates"),
    # manifest
    (M, "languages: [en]", "languages: §en", "wrong_type", "error", None, "a list of names"),
    (M, "languages: [en]", "languages: [en, §en]", "duplicate_entry", "error", None, "positions 1 and 2"),
    (M, "languages: [en]", "default_language: §[en]", "wrong_type", "error", None, "`default_language`"),
    (M, '"2026-01-01T00:00:00+00:00"', '§"2026-01-01"', "invalid_clock", "error", None, "2026-01-01"),
    (M, "  records: record_id", "  records: §[record_id]", "wrong_type", "error", None, "`primary_keys.records`"),
    (M, "  records: record_id", "  record: §record_id", "primary_key_without_collection", "warning", None, "`record`"),
    (M, "  records: record_id", "  records: §name_id", "primary_key_ambiguous", "error", "2", "name_id"),
    (M, "[REC-ABSENT-1]", "[REC-ABSENT-1, §true]", "wrong_type", "error", None, "`absent_ids.records[1]`"),
    (M, "[REC-ABSENT-1]", "[REC-ABSENT-1, §' ']", "blank_text", "warning", None, "`absent_ids.records[1]`"),
    (M, "[REC-ABSENT-1]", "§''", "blank_text", "warning", None, "`absent_ids.records` is blank"),
    (M, "  tools: tools.json", "  tools: §[]", "wrong_type", "warning", None, "counts as if it were absent"),
    (M, "clock:", "system_prompt_path: §''\nclock:", "wrong_type", "warning", None, "`system_prompt_path` names no file"),
    (M, "[REC-ABSENT-1]", "[null, §REC-002]", "absent_id_exists", "error", "2", "line 4 of fixtures.json"),
    (M, "[REC-ABSENT-1]", "§REC-001", "absent_id_exists", "error", "2", "line 3 of fixtures.json"),
    (M, "clock:", "confirmation: {parameter: §true}\nclock:", "wrong_type", "error", None, "`confirmation.parameter`"),
    (M, "clock:", "confirmation: {parameter: §''}\nclock:", "wrong_type", "error", None, "`confirmation.parameter`"),
    (M, "clock:", "confirmation: §[]\nclock:", "wrong_type", "error", None, "`confirmation` must be a mapping"),
    (M, '{en: "Done."}', "{en: §5}", "wrong_type", "error", None, "`assistant_turn_templates.final_answer.en`"),
    (M, '{en: "Done."}', "§Done", "wrong_type", "error", None, "`assistant_turn_templates.final_answer`"),
    (M, "clock:", "surface_guards: {tool_names_exempt: §x}\nclock:", "wrong_type", "error", None, "tool_names_exempt"),
    # tools
    (TOOLS, '"Return one record."', '§" "', "blank_text", "warning", None, "`[0].function.description` is blank"),
    (TOOLS, '[\n  {\n    "type"', '[\n  §5,\n  {\n    "type"', "tool_not_object", "error", "3", "Tool 1"),
    (TOOLS, "[\n  {", '[\n  {"function": §null},\n  {', "tool_function_not_object", "error", "3", "tool 1"),
    (TOOLS, "[\n  {", '[\n  {"function": {"name": §""}},\n  {', "tool_name_not_nonempty_string", "error", "3", "tool 1"),
    (TOOLS, '"type": "function",', '"type": "function", "x-mutates": §"no",', "wrong_type", "error", None, "x-mutates"),
    # templates
    (T, "    allowed: false\n", "    allowed: false\n- §7\n", "wrong_type", "error", None, "Template 2 must be a mapping"),
    (T, "- template_id: starter_get_record\n  i", "- §i", "missing_field", "error", None, "`template_id` is missing"),
    (T, "template_id: starter_irrelevant", "template_id: §starter_get_record", "duplicate_template_id", "error", None, "line 1"),
    (T, "turn_policy: single_turn", "turn_policy: §single-turn", "unknown_turn_policy", "error", "1", "mean `single_turn`?"),
    (T, "turn_policy: single_turn", "turn_policy: §[]", "unknown_turn_policy", "error", "1", "is a list"),
    (T, "call_order: strict", "call_order: §anny", "unknown_call_order", "error", None, "Did you mean `any`?"),
    (T, "call_order: strict", "call_order: §{a: 1}", "unknown_call_order", "error", None, "a mapping"),
    (T, "call_order: strict", "call_order: §null", "wrong_type", "error", None, "`call_order`"),
    (T, "call_order: strict", "§call_order_prefix: 1", "call_order_prefix_invalid", "error", None, "`strict`"),
    (T, "call_order: strict", "§call_order: prefix", "call_order_prefix_invalid", "error", None, "needs `call_order_prefix`"),
    (T, "call_order: strict", "call_order: prefix\n  call_order_prefix: §true", "call_order_prefix_invalid", "error", None, "true"),
    (T, "call_order: strict", "call_order: prefix\n  call_order_prefix: §2", "call_order_prefix_invalid", "error", None, "1 to 1"),
    (T, "call_order: strict", "mutates: §1", "wrong_type", "error", None, "`mutates` must be true or false"),
    (T, "required_tools: [get_record]", "required_tools: §get_record", "wrong_type", "error", None, "a list of names"),
    (T, "required_tools: [get_record]", "required_tools: [get_record, §5]", "wrong_type", "error", None, "`required_tools[1]`"),
    (T, "required_tools: [get_record]", "required_tools: [get_record, §' ']", "blank_text", "error", None, "[1]` is blank"),
    (T, "tools_present: [get_record]", "tools_present: §get_record", "wrong_type", "error", None, "`tools_present`"),
    (T, "tools_present: [get_record]", "tools_present: [get_record, §' get_record']", "duplicate_entry", "error", None, "twice"),
    (T, "required_tools: [get_record]", "required_tools: [§get_records]", "missing_tool", "error", "1", '`get_records`'),
    (T, "tools_present: [get_record]", "tools_present: [get_record, §lend]", "missing_tool", "error", "1", '`lend`'),
    (T, "tool: get_record}", "tool: §lend}", "missing_tool", "error", "1", "`assistant_milestones[0].tool`"),
    (T, "required_tools: [get_record]\n  tools_present: [get_record]", "required_tools: [§get_record]\n  tools_present: []",
     "tool_not_exposed", "error", "1", "`get_record`"),
    (T, "success_assertions: [assert_record_reported]", "§success_assertions: []", "template_without_success_assertion",
     "error", "4", "is empty"),
    (T, "success_assertions: [assert_record_reported]", "success_assertions: §assert_x", "wrong_type", "error", None,
     "a list of names"),
    (T, "      label:", "      filter: 5\n      label: §[x]\n      #", "wrong_type", "error", None, "`slots.record_id.label`"),
    (T, '{en: "record id"}', "{en: §null}", "wrong_type", "error", None, "`slots.record_id.label.en`"),
    (T, "  slots: {}", "  slots: §[]", "wrong_type", "error", None, "`slots` must be a mapping"),
    (T, "  slots: {}", "  slots: {x: §5}", "wrong_type", "error", None, "`slots.x` must be a mapping"),
    (T, "visible_in_first_turn: true", "visible_in_first_turn: §'yes'", "slot_missing_visibility_flag", "error", "2", '"yes"'),
    (T, "visible_in_first_turn: true", "visible_in_first_turn: §null", "slot_missing_visibility_flag", "error", "2", "null"),
    (T, "    record_id:\n      source: \"fixture:records.record_id\"\n      visible_in_first_turn: true\n",
     "    §record_id:\n      source: \"fixture:records.record_id\"\n", "slot_missing_visibility_flag", "error", "2", "missing"),
    (T, 'en: "Show me record {record_id}."', "en: §null", "wrong_type", "error", None, "`user_turn_templates.en`"),
    (T, "  assistant_milestones:\n    - {type: decline}", "  assistant_milestones: §decline", "wrong_type", "error", None, "list of mappings"),
    (T, "    - {type: decline}", "    - §decline", "wrong_type", "error", None, "`assistant_milestones[0]`"),
    (T, "    - {type: decline}", "    - {type: decline}\n    - §{id: x}", "missing_field", "error", None, "[1].type`"),
    (T, "    - {type: decline}", "    - {type: §[decline]}", "wrong_type", "error", None, "[0].type`"),
    (T, "id: lookup}", "id: §which}", "duplicate_milestone_id", "error", None, "`which`"),
    (T, "id: lookup}", "id: §''}", "blank_text", "error", None, "`assistant_milestones[1].id`"),
    (T, "{type: tool_call, tool: get_record}", "§{type: tool_call}", "missing_field", "error", None, "[0].tool` is missing"),
    (T, "tool: get_record}", "tool: get_record, args: §[1]}", "wrong_type", "error", None, "[0].args`"),
    (T, "tool: get_record}", "tool: get_record, call_group: §1.5}", "wrong_type", "error", None, "[0].call_group`"),
    (T, "tool: get_record}", "tool: get_record, §slot: record_id}", "ignored_field", "warning", None, "`tool_call`"),
    (T, "{type: final_answer}", "{type: final_answer, §args: {a: 1}}", "ignored_field", "warning", None, "`final_answer`"),
    (T, "slot: record_id, id", "slot: §5, id", "wrong_type", "error", None, "[0].slot`"),
    (T, "{type: final_answer}", "{type: final_answer, content_template: §x}", "wrong_type", "error", None, "content_template`"),
    (T, "  user_simulator_turns:\n    - after", "  user_simulator_turns:\n    - §5\n    - after", "wrong_type", "error", None, "user_simulator_turns[0]`"),
    (T, "after: which", "after: §[which]", "wrong_type", "error", None, "`user_simulator_turns[0].after`"),
    (T, "    - after: which\n      content_template:\n        en: \"The record id is {record_id}.\"", "    - §after: which",
     "missing_field", "error", None, "content_template` is missing"),
    (T, "      content_template:\n", "      slot_updates: §[]\n      content_template:\n", "wrong_type", "error", None, "slot_updates`"),
    (T, "      content_template:\n", "      slot_updates: {record_id: §5}\n      content_template:\n", "wrong_type", "error", None, "slot_updates.record_id`"),
    (T, "    - after: which\n", "    - after: which\n      slot_updates: {record_id: {source: x, §bind: y}}\n", "unknown_key", "warning", None, '`bind`'),
    (T, "paraphrase:\n    allowed: false", "paraphrase: §null", "wrong_type", "error", None, "`paraphrase` must be a mapping"),
    (T, "    allowed: false", "    allowed: §0", "wrong_type", "error", None, "`paraphrase.allowed`"),
    (T, "    allowed: false", "    max_variants: §-1", "wrong_type", "error", None, "at least 0"),
    (T, "    allowed: false", "    max_variants: §true", "wrong_type", "error", None, "a whole number"),
    (T, "    allowed: false", "    must_not_mention: §tool_names", "wrong_type", "error", None, "must_not_mention`"),
    (T, "call_order: strict", "edge_signatures: [b, §' b ']", "duplicate_entry", "error", None, '`b` twice'),
    (T, "call_order: strict", "edge_signatures: §b", "wrong_type", "error", None, "`edge_signatures`"),
    (T, "call_order: strict", "assistant_turn_templates: {decline: §x}", "wrong_type", "error", None, "assistant_turn_templates.decline`"),
    (T, "  user_turn_templates:\n", "  §first_turn_templates: {en: x}\n  user_turn_templates:\n", "ignored_field", "warning", None, "`first_turn_templates`"),
    # cases
    (C, "- id: success_get_record\n  t", "- §t", "missing_field", "error", None, "`id` is missing"),
    (C, "- id: miss_get_record", "- id: §success_get_record", "duplicate_case_id", "error", None, "line 1, column 7"),
    (C, "- id: miss_get_record", "- §5\n- id: miss_get_record", "wrong_type", "error", None, "Case 2 must be a mapping"),
    (C, "  tool: get_record\n  arguments: {record_id: REC-001}", "  tool: §null", "missing_field", "error", None, "`tool` is null"),
    (C, "reset_before: true", "reset_before: §'no'", "wrong_type", "error", None, "`reset_before`"),
    (C, "expect: {result_class: success, name: first}", "expect: §success", "wrong_type", "error", None, "`expect` must be a mapping"),
    (C, "reset_before: true", "coverage: §negativ", "unknown_coverage", "warning", None, "`negativ`"),
    # fixtures
    (F, '"records": [\n', '"records": [\n    §5,\n', "fixture_row_not_object", "error", None, "Row 1 of `records`"),
    (F, '"record_id": "REC-002"', '"record_id": §"REC-001"', "fixture_primary_key_duplicate", "error", "2", "line 3, column 19"),
    (F, '"record_id": "REC-002"', '"record_id": §null', "fixture_row_missing_primary_key", "error", "2", "1 of 2 rows"),
    (F, '{"record_id": "REC-002", ', "§{", "fixture_row_missing_primary_key", "error", "2", "row 2"),
    # held-out policy
    (H, 'version: "1"', "version: §1", "identity_not_text", "warning", None, "`version`"),
    (H, 'version: "1"', "version: §true", "wrong_type", "error", None, "`version`"),
    (H, 'version: "1"\nf', "§f", "missing_field", "error", None, "`version` is missing"),
    (H, "policy:", "§polcy:", "unknown_key", "error", None, "Did you mean `policy`?"),
    (H, "  records: [REC-002]", "  records: §REC-002", "wrong_type", "error", None, "a list of ids"),
    (H, "[REC-002]", "[REC-002, §true]", "wrong_type", "error", None, "`fixtures.records[1]`"),
    (H, "[REC-002]", "[REC-002, §REC-002]", "duplicate_entry", "error", None, "listed twice"),
    (H, "[REC-002]", "[REC-002, §REC-9]", "held_out_unknown_id", "error", None, '"REC-9"'),
    (H, "[REC-002]", "[REC-002, §REC-ABSENT-1]", "held_out_id_is_absent", "error", None, "`absent_ids`"),
    (H, "  records: [REC-002]", "  §record: [REC-002]", "held_out_unknown_collection", "error", None, "Did you mean `records`?"),
    (H, "  records: [REC-002]", "  §' ': [REC-002]", "blank_text", "error", None, "blank name of a collection"),
    (H, "[starter_missing_record]", "[§starter_mising_record]", "held_out_unknown_template", "error", None, "Did you mean"),
    (H, "[starter_missing_record]", "§starter_missing_record", "wrong_type", "error", None, "`templates`"),
    (H, "fixtures_in_backend_state: false", "fixtures_in_backend_state: §null", "wrong_type", "error", None, "true or false"),
    (H, "  seed: 7", "  seed: §true", "wrong_type", "error", None, "`policy.seed`"),
    (H, "  seed: 7", "  seed: §null", "wrong_type", "error", None, "`policy.seed`"),
    (H, "  seed: 7", "  §sed: 7", "unknown_key", "error", None, "Did you mean `seed`?"),
]
# fmt: on


@pytest.mark.parametrize(
    ("file", "old", "new", "code", "severity", "check", "told"),
    BREAKS,
    ids=[f"{code}-{Path(file).stem}-{number}" for number, (file, _, _, code, *_) in enumerate(BREAKS)],
)
def test_one_broken_place(tmp_path, file, old, new, code, severity, check, told):
    folder = write_pack(tmp_path / "pack", **({"held_out": HELD_OUT} if file == H else {}))
    place = spoil(folder, file, old, new)
    found = only(load(folder), code)
    assert found.place == place
    assert found.severity == severity
    assert found.check == check
    assert told in found.message
    assert str(tmp_path) not in found.message


def test_the_unbroken_packs_have_no_findings(tmp_path):
    assert load(write_pack(tmp_path / "a")).findings == ()
    assert load(write_pack(tmp_path / "b", held_out=HELD_OUT)).findings == ()


def test_findings_carry_their_ids(tmp_path):
    folder = write_pack(tmp_path / "pack")
    edit(folder / T, "visible_in_first_turn: true", "visible: true")
    edit(folder / C, "reset_before: true", "reset_before: 1")
    edit(folder / TOOLS, '"type": "function",', '"type": "function", "x-mutates": 1,')
    result = load(folder)
    flag = only(result, "slot_missing_visibility_flag")
    assert (flag.template_id, flag.slot) == ("starter_get_record", "record_id")
    wrong = {found.place.file: found for found in result.findings if found.code == "wrong_type"}
    assert wrong[C].case_id == "success_get_record"
    assert wrong[TOOLS].tool == "get_record"


def test_a_missing_field_of_a_template_is_told_at_its_first_line(tmp_path):
    folder = write_pack(tmp_path / "pack")
    edit(folder / T, "  turn_policy: single_turn\n", "")
    edit(folder / T, "  success_assertions: [assert_record_reported]\n", "")
    edit(folder / T, '  user_turn_templates:\n    en: "Show me record {record_id}."\n', "")
    result = load(folder)
    assert codes(result) == ["missing_field", "template_without_success_assertion", "unknown_turn_policy"]
    assert {found.place for found in result.findings} == {Place(T, 1, 3)}


def test_a_missing_tool_is_one_root_and_further_uses_follow_from_it(tmp_path):
    folder = write_pack(tmp_path / "pack")
    edit(folder / TOOLS, '"get_record"', '"fetch_record"')
    uses = [found for found in load(folder).findings if found.code == "missing_tool"]
    assert [(use.place.line, use.template_id) for use in uses] == [
        (7, "starter_get_record"),
        (8, "starter_get_record"),
        (18, "starter_get_record"),
        (27, "starter_missing_record"),
        (36, "starter_missing_record"),
        (43, "starter_ask_for_record"),
        (54, "starter_ask_for_record"),
    ]
    assert uses[0].root is None
    assert {use.root for use in uses[1:]} == {uses[0].id}
    assert [use.detail["field"] for use in uses[:3]] == ["required_tools", "tools_present", "assistant_milestones"]


def test_a_near_miss_of_a_tool_is_in_the_fix(tmp_path):
    folder = write_pack(tmp_path / "pack")
    edit(folder / T, "required_tools: [get_record]", "required_tools: [get_recrod]")
    assert "`get_record`" in only(load(folder), "missing_tool").fix


def test_a_missing_tool_is_not_also_unexposed(tmp_path):
    folder = write_pack(tmp_path / "pack")
    edit(folder / T, "required_tools: [get_record]", "required_tools: [lend]")
    assert codes(load(folder)) == ["missing_tool"]


def test_a_dependent_call_needs_strict_order(tmp_path):
    folder = write_pack(tmp_path / "pack")
    edit(folder / T, "turn_policy: single_turn", "turn_policy: dependent_call")
    assert load(folder).findings == ()
    place = spoil(folder, T, "call_order: strict", "call_order: §any")
    assert only(load(folder), "dependent_call_not_strict").place == place


def test_tools_with_the_same_name_name_both_places(tmp_path):
    tool = '{"type": "function", "function": {"name": "get_record", "parameters": {}}}'
    folder = write_pack(tmp_path / "pack", tools=f"[{tool},\n {tool}]")
    result = load(folder)
    found = only(result, "duplicate_tool")
    assert found.place == Place(TOOLS, 2, 44)
    assert "line 1, column 44" in found.message
    assert len(result.pack.tools) == 1


@pytest.mark.parametrize(("file", "code"), [("task_templates", "no_templates"), ("validation_cases", None)])
def test_an_empty_list_file(tmp_path, file, code):
    result = load(write_pack(tmp_path / "pack", **{file: ""}))
    assert result.pack.unusable == frozenset()
    assert [(each.code, each.place) for each in result.findings] == ([(code, Place(T, 1, 1))] if code else [])


@pytest.mark.parametrize(
    ("file", "content", "role"),
    [
        ("tools", "{}", "tools"),
        ("tools", "null", "tools"),
        ("fixtures", "[]", "fixtures"),
        ("fixtures", "null", "fixtures"),
        ("task_templates", "a: 1", "templates"),
        ("validation_cases", "5", "validation_cases"),
        ("held_out", "[]", "held_out"),
    ],
)
def test_a_document_of_the_wrong_shape_makes_its_role_unusable(tmp_path, file, content, role):
    result = load(write_pack(tmp_path / "pack", **{file: content}))
    assert "wrong_type" in codes(result)
    assert result.pack.unusable == {role}


@pytest.mark.parametrize("content", ["", "[]", "0", "text", "false"])
def test_a_manifest_that_is_no_mapping_gives_no_pack(tmp_path, content):
    result = load(write_pack(tmp_path / "pack", manifest=content))
    assert result.pack is None
    assert codes(result) == ["wrong_type"]
    assert result.findings[0].place == Place(M, 1, 1)


def test_many_faults_are_all_found_and_stand_in_order(tmp_path):
    folder = write_pack(tmp_path / "pack")
    for file, old, new, code, *_ in BREAKS:
        text = (folder / file).read_text() if file != H else ""
        if code in ("unknown_call_order", "wrong_type") and old in text and file == T:
            edit(folder / file, old, new.replace("§", ""))
    result = load(folder)
    assert len(result.findings) >= 20
    assert list(result.findings) == sorted(result.findings, key=lambda found: found.sort_key())
    assert load(folder).findings == result.findings


def test_the_ids_of_rows_coincide_as_texts(tmp_path):
    fixtures = '{"records": [{"record_id": 1},\n {"record_id": "1"}]}'
    result = load(write_pack(tmp_path / "pack", fixtures=fixtures))
    assert only(result, "fixture_primary_key_duplicate").place == Place(F, 2, 16)


def test_collections_that_nobody_tells_apart_need_no_key(tmp_path):
    fixtures = '{"records": [{"record_id": "REC-001"}, {"record_id": "REC-002"}], "log": [{"a": 1}, {"a": 1}], "x": 5}'
    assert load(write_pack(tmp_path / "pack", fixtures=fixtures)).findings == ()


def test_a_bound_collection_needs_unique_ids_without_any_declaration(tmp_path):
    manifest = MANIFEST.replace("primary_keys:\n  records: record_id\n", "")
    fixtures = '{"records": [{"record_id": "A", "status": "active"}, {"record_id": "A"}]}'
    result = load(write_pack(tmp_path / "pack", manifest=manifest, fixtures=fixtures))
    assert codes(result) == ["fixture_primary_key_duplicate"]


def test_a_reserved_collection_whose_key_cannot_be_told(tmp_path):
    fixtures = '{"records": [{"record_id": "A"}], "moves": [{"from_id": 1, "to_id": 2}]}'
    held_out = 'version: "1"\nfixtures:\n  moves: [1]\n'
    result = load(write_pack(tmp_path / "pack", fixtures=fixtures, held_out=held_out))
    found = only(result, "primary_key_ambiguous")
    assert found.place == Place(H, 3, 3)
    assert "primary_keys.moves" in found.message
    assert result.pack.held_out.fixtures == {}


@pytest.mark.parametrize(
    ("mix", "shares", "label"),
    [
        ("difficulty_mix", {"easy": 0.5, "hard": 0.5}, "hard"),
        ("turn_mix", {"multi_turn": 1.0, "triple_turn": 0.1}, "triple_turn"),
        ("tool_call_count_mix", {"1": 0.5, "3+": 0.5}, "3+"),
        ("policy_mix", {"correction": 1.0}, "correction"),
    ],
)
def test_a_mix_that_no_template_supplies(tmp_path, mix, shares, label):
    from assay.config import TaskGeneration

    folder = write_pack(tmp_path / "pack")
    found = only(load(folder, task_generation=TaskGeneration(mixes={mix: shares})), "mix_target_unavailable")
    assert found.detail == {"mix": mix, "label": label}
    assert found.place == Place(T, 1, 1)
    assert found.severity is Severity.ERROR


def test_a_share_of_zero_asks_for_nothing(tmp_path):
    from assay.config import TaskGeneration

    folder = write_pack(tmp_path / "pack")
    mixes = {"difficulty_mix": {"easy": 1.0, "hard": 0.0}, "turn_mix": {"single_turn": 0.5, "multi_turn": 0.5}}
    assert load(folder, task_generation=TaskGeneration(mixes=mixes)).findings == ()
