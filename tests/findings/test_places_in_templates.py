"""Each fault that binding, planning, rendering, tracing and the static check find, at its exact place.

The pack of `pack_files` is broken in one place; `§` in the new text marks where the finding must stand.
"""
# ruff: noqa: E501 - the tables below are read row by row

import pytest

from assay.config import SurfaceGeneration, TaskGeneration
from assay.findings import Place
from tests.support.pack_files import HELD_OUT, MANIFEST, TEMPLATES, TOOLS, edit, spoil, write_pack
from tests.support.static_stages import static_findings

M, T, F = "manifest.yaml", "task_templates.yaml", "fixtures.json"

MORE_PARAMETERS = """\
"limit": {"type": "integer", "minimum": 2, "maximum": 4},
                         "mode": {"enum": ["short", "long"]},
                         "form": {"const": "table"},
                         "tag": {"type": "string", "minLength": 2, "maxLength": 4, "pattern": "^[a-z]+$"},
                         "slow": {"type": "string", "pattern": "^(?:a|aa)+$"},
                         "marks": {"type": "array", "minItems": 1, "maxItems": 2},
                         "record_id": {"type": "string"}"""
RICH_TOOLS = TOOLS.replace(
    '"record_id": {"type": "string", "description": "Id of the record."}', MORE_PARAMETERS
).replace(
    "\n]",
    """,
  {
    "type": "function",
    "x-mutates": true,
    "x-requires-confirmation": true,
    "function": {
      "name": "close_record",
      "description": "Close a record.",
      "parameters": {
        "type": "object",
        "properties": {"record_id": {"type": "string"}, "confirm": {"type": "boolean"}},
        "required": ["record_id"],
        "additionalProperties": false
      }
    }
  }
]""",
)
CORRECTION = """\
- template_id: corrected
  category: corrections
  turn_policy: correction
  required_tools: [get_record]
  slots:
    record_id: {source: "literal:['REC-001']", visible_in_first_turn: true}
  success_assertions: [assert_record_reported]
  user_turn_templates:
    en: "Show me record {record_id}."
  assistant_milestones:
    - {type: ask_confirm}
    - {type: tool_call, tool: get_record, args: {record_id: "{record_id}"}}
    - {type: final_answer}
  user_simulator_turns:
    - after: ask_confirm
      slot_updates:
        record_id: {source: "literal:['REC-002']", bind_as: other_id}
      content_template:
        en: "Rather {other_id}."
"""
SOURCE = 'source: "fixture:records.record_id"'
CALL = "{type: tool_call, tool: get_record}"
OPENING = 'en: "Show me record {record_id}."'
DECLINE = 'decline: {en: "I am sorry, I cannot help with that here."}'
ASKED_FOR = """\
    - {type: ask_for_slot, slot: record_id, id: which}
    - {type: tool_call, tool: get_record, id: lookup}
    - {type: final_answer}
  user_simulator_turns:
    - after: which"""
FINAL = '  final_answer: {en: "Done."}'


def called_with(argument):
    """The milestone that calls the tool, with one more argument."""
    return f"{{type: tool_call, tool: get_record, args: {{{argument}}}}}"


# file, old text, new text with § where the finding must stand, code
# fmt: off
BREAKS = [
    # binding
    (T, SOURCE, 'source: §""', "missing_source"),
    (T, SOURCE, "source: §books", "bad_fixture_path"),
    (T, SOURCE, 'source: §"enum:get_record"', "bad_enum_path"),
    (T, SOURCE, 'source: §"enum:get_record.colour"', "enum_missing"),
    (T, SOURCE, 'source: §"literal:[]"', "invalid_source"),
    (T, SOURCE, 'source: §"fixture:rows.record_id"', "unknown_collection"),
    (T, SOURCE, 'source: §"ledger:records"', "unknown_source_kind:"),
    (T, "filter: \"status == 'active'\"", "filter: §\"status == 'lost'\"", "filter_matches_zero"),
    (T, "filter: \"status == 'active'\"", "filter: §\"status IN ['active']\"", "unevaluable_filter"),
    (T, SOURCE, 'source: "enum:get_record.mode"\n      filter: §"a == 1"', "filter_ignored"),
    (T, SOURCE, 'source: §"literal:[\'REC-001\', \'REC-001\']"', "duplicate_source_value"),
    (T, "record_id: {source: \"literal:['REC-002']\", bind_as: other_id}", "record_id: §{bind_as: other_id}", "invalid_slot_update"),
    (T, "source: \"literal:['REC-002']\"", "source: §\"literal:['REC-001']\"", "slot_correction_declaration_invalid"),
    (T, "bind_as: other_id}", "bind_as: other_id}\n        status: {source: \"literal:['closed']\", bind_as: §other_id}", "slot_alias_conflict"),
    # planning
    (T, "    - {type: decline}", "    - {type: decline}\n    - §{type: final_answer}", "invalid_conversation_plan"),
    (T, ASKED_FOR, ASKED_FOR.replace("id: which", "id: final_answer").replace("after: which", "after: §final_answer"), "ambiguous_milestone_reference"),
    # rendering
    (T, OPENING, 'en: §"   "', "empty_turn"),
    (T, OPENING, 'en: §"Show me {record_no}."', "unbound_placeholder"),
    (T, OPENING, 'en: §"Show me {record_id} of {số}."', "suspicious_placeholder"),
    (T, OPENING, 'en: §"Show me a record."', "representative_surface_guard_violation"),
    (M, FINAL, '  final_answer: §{de: "Fertig."}', "language_gap"),
    (M, DECLINE, 'decline: {en: §"Not even get_record can do that."}', "assistant_names_tool"),
    (M, '{en: "Which {slot_name} do you mean?"}', '{en: §"Is it {record_id}?"}', "assistant_reveals_withheld_value"),
    (M, FINAL, FINAL + "\nsurface_guards: {tool_names_exempt: [get_record, §get_records]}", "unknown_exempt_tool"),
    (M, "languages: [en]", "languages: [en]\ndefault_language: §de", "language_not_offered"),
    (T, '      filter: "status == \'active\'"', '      filter: "status == \'active\'"\n      label: §{de: "Nummer"}', "label_without_language"),
    (T, "    allowed: false", "    must_omit: [§nobody]", "ineffective_guard"),
    # tracing and the static check
    (T, CALL, called_with("limit: §1"), "number_below_minimum"),
    (T, CALL, called_with("limit: §5"), "number_above_maximum"),
    (T, CALL, called_with('limit: §"3"'), "argument_type_mismatch"),
    (T, CALL, called_with("mode: §wide"), "argument_not_in_enum"),
    (T, CALL, called_with("form: §list"), "argument_not_equal_const"),
    (T, CALL, called_with("tag: §a"), "string_too_short"),
    (T, CALL, called_with("tag: §abcde"), "string_too_long"),
    (T, CALL, called_with('tag: §"ABC"'), "string_pattern_mismatch"),
    (T, CALL, called_with(f'slow: §"{"a" * 80}b"'), "pattern_too_slow"),
    (T, CALL, called_with("marks: §[]"), "array_too_short"),
    (T, CALL, called_with("marks: §[1, 2, 3]"), "array_too_long"),
    (T, CALL, called_with("colour: §red"), "unknown_argument"),
    (T, CALL, called_with("limit: §3"), "argument_from_nowhere"),
    (T, "required_tools: [get_record]\n  tools_present: [get_record]", "required_tools: [get_record, §close_record]", "required_tool_not_called"),
    (T, "required_tools: [get_record]\n  tools_present: [get_record]", "required_tools: §[get_record, close_record]", "call_order_mismatch"),
    (T, "call_order: strict\n  required_tools: [get_record]\n  tools_present: [get_record]",
     "call_order: prefix\n  call_order_prefix: 1\n  required_tools: §[get_record, close_record]", "call_order_remainder_mismatch"),
    (T, CALL, "{type: tool_call, tool: close_record, args: {confirm: §true}}", "confirmed_mutation_without_user_confirmation"),
    (T, "    - {type: ask_confirm}\n    - {type: tool_call, tool: get_record, args: {record_id: \"{record_id}\"}}",
     "    - {type: tool_call, tool: get_record, args: {record_id: §\"{record_id}\"}}\n    - {type: ask_confirm}", "superseded_slot_value_in_trace"),
    (T, "    - {type: decline}", "    - {type: decline}\n    - §{type: tool_call, tool: get_record}", "conversation_not_closed"),
]


# the same, where the finding stands elsewhere: the place's file and text come after the code
ELSEWHERE = [
    (T, "The record id is {record_id}.", "The usual one.", "call_uses_unstated_value", T, "§{type: tool_call, tool: get_record, id: lookup}"),
    (T, f"record_id:\n      {SOURCE}", f"record_no:\n      {SOURCE}", "missing_required_argument", T, f"§{CALL}"),
    (T, SOURCE, 'source: "literal:[True]"', "value_renders_as_code", T, f"§{OPENING[4:]}"),
    (M, DECLINE, 'decline: {en: "Not the {slot_name}."}', "slot_name_unresolved", T, "§{type: decline}"),
]
# fmt: on


def pack_with(tmp_path, **files):
    return write_pack(tmp_path / "pack", **{"tools": RICH_TOOLS, "task_templates": TEMPLATES + CORRECTION, **files})


def places(folder, code, **config):
    """Return the places of all findings of a code, which may end in the colon before its suffix."""
    return [each.place for each in static_findings(folder, **config) if each.code.startswith(code)]


def test_the_unbroken_pack_has_no_findings(tmp_path):
    assert static_findings(pack_with(tmp_path)) == []


@pytest.mark.parametrize(("file", "old", "new", "code"), BREAKS, ids=[code for *_, code in BREAKS])
def test_one_broken_place(tmp_path, file, old, new, code):
    folder = pack_with(tmp_path)
    place = spoil(folder, file, old, new)
    assert places(folder, code) == [place]


@pytest.mark.parametrize(
    ("file", "old", "new", "code", "told_in", "mark"), ELSEWHERE, ids=[row[3] for row in ELSEWHERE]
)
def test_one_broken_place_told_elsewhere(tmp_path, file, old, new, code, told_in, mark):
    folder = pack_with(tmp_path)
    edit(folder / file, old, new)
    place = spoil(folder, told_in, mark.replace("§", ""), mark)
    assert places(folder, code) == [place]


@pytest.mark.parametrize(
    ("budget", "code", "at"),
    [
        (1, "category_budget_too_small", "\n  category: §records\n  difficulty: medium"),
        (9, "category_underfilled", "§records"),
    ],
)
def test_a_budget_that_does_not_fit_a_category(tmp_path, budget, code, at):
    folder = pack_with(tmp_path)
    place = spoil(folder, T, at.replace("§", ""), at)
    assert places(folder, code, task_generation=TaskGeneration(tasks_per_category=budget))[0] == place


def test_a_language_that_only_the_run_config_asks_for_is_told_at_the_top_of_the_manifest(tmp_path):
    settings = SurfaceGeneration(language="de")
    assert places(pack_with(tmp_path), "language_not_offered", surface_generation=settings) == [Place(M, 1, 1)]


def test_a_pack_in_another_language_without_a_prompt_is_told_at_the_top_of_the_manifest(tmp_path):
    folder = pack_with(
        tmp_path,
        task_templates=(TEMPLATES + CORRECTION).replace("en:", "de:"),
        manifest=MANIFEST.replace("en:", "de:").replace("[en]", "[de]"),
    )
    assert places(folder, "default_system_prompt_in_other_language") == [Place(M, 1, 1)]


def test_reservations_that_leave_nothing_to_bind(tmp_path):
    folder = pack_with(tmp_path, held_out=HELD_OUT.replace("REC-002", "REC-001"))
    place = spoil(folder, T, f"{SOURCE}\n      filter", f"{SOURCE.replace('source: ', 'source: §')}\n      filter")
    assert places(folder, "held_out_binding_starved")[0] == place


def test_a_source_that_spells_out_a_reserved_id(tmp_path):
    folder = pack_with(tmp_path, held_out=HELD_OUT)
    place = spoil(folder, T, SOURCE, "source: §\"literal:['REC-001', 'REC-002']\"")
    assert place in places(folder, "held_out_value_in_source")


def test_a_slot_that_poses_as_a_correction_is_told_at_the_slots(tmp_path):
    folder = pack_with(tmp_path)
    posing = "    record_id@correction0: {source: \"literal:['REC-002', 'REC-001']\", visible_in_first_turn: true}\n"
    old = "    record_id: {source: \"literal:['REC-001']\""
    place = spoil(folder, T, old, f"{posing}    §{old.strip()}")
    budget = TaskGeneration(tasks_per_category=4)
    assert places(folder, "duplicate_task_id", task_generation=budget) == [Place(T, place.line - 1, place.column)]
