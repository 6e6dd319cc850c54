"""Forty faults of forty kinds in one pack: forty findings, in a stable order, none hiding another.

Each fault is one change to one more copy of a sound template, case or declaration of the small library.
"""

import pytest

from assay import validate
from tests.support.pack_files import edit
from tests.support.packs import copy_of_tiny_library

TEMPLATE = """
- template_id: fault_{number}
  intent: check_book_status
  category: fault_{number}
  difficulty: easy
  turn_policy: single_turn
  required_tools: [get_book_status]
  slots:
    book_id:
      source: "fixture:books.book_id"
      visible_in_first_turn: true
  success_assertions: [assert_book_status_reported]
  user_turn_templates:
    en: "Is book {{book_id}} on the shelf?"
  assistant_milestones:
    - {{type: tool_call, tool: get_book_status}}
    - {{type: final_answer}}
"""
CASE = """
- id: fault_{number}
  tool: get_book_status
  arguments: {{book_id: BK-100}}
  expect: {{result_class: success}}
"""
SOURCE = '      source: "fixture:books.book_id"\n'
CALL = "{type: tool_call, tool: get_book_status}"
FINAL = "{type: final_answer}"

IN_TEMPLATES = {
    "unknown_turn_policy": ("turn_policy: single_turn", "turn_policy: singleturn"),
    "template_without_success_assertion": ("[assert_book_status_reported]", "[]"),
    "missing_assertion": ("[assert_book_status_reported]", "[assert_nobody]"),
    "slot_missing_visibility_flag": ("      visible_in_first_turn: true\n", ""),
    "missing_source": (SOURCE, ""),
    "unknown_collection": ("fixture:books.book_id", "fixture:boks.book_id"),
    "bad_fixture_path": ("fixture:books.book_id", "fixture:books"),
    "unevaluable_filter": (SOURCE, SOURCE + "      filter: \"status is 'available'\"\n"),
    "filter_matches_zero": (SOURCE, SOURCE + "      filter: \"status == 'burnt'\"\n"),
    "filter_ignored": (SOURCE, "      source: \"literal:['BK-100']\"\n      filter: \"status == 'available'\"\n"),
    "duplicate_source_value": ("fixture:books.book_id", "literal:['BK-100', 'BK-100']"),
    "unknown_source_kind:csv": ("fixture:books.book_id", "csv:books.book_id"),
    "bad_enum_path": ("fixture:books.book_id", "enum:books"),
    "enum_missing": ("fixture:books.book_id", "enum:get_book_status.book_id"),
    "invalid_source": ("fixture:books.book_id", "range:{'min': 3}"),
    "missing_tool": ("required_tools: [get_book_status]", "required_tools: [get_book_status, fly]"),
    "tool_not_exposed": ("  required_tools:", "  tools_present: [checkout_book]\n  required_tools:"),
    "unknown_call_order": ("  slots:", "  call_order: random\n  slots:"),
    "unbound_placeholder": ("Is book {book_id} on", "Is book {book_id} of {shelf} on"),
    "suspicious_placeholder": ("Is book {book_id} on", "Is book {book_id} of {sh.elf} on"),
    "empty_turn": ('"Is book {book_id} on the shelf?"', '" "'),
    "representative_surface_guard_violation": ("Is book {book_id} on", "Is that book on"),
    "assistant_names_tool": (FINAL, '{type: final_answer, content_template: {en: "I used get_book_status."}}'),
    "unknown_argument": (CALL, '{type: tool_call, tool: get_book_status, args: {shelf: "{book_id}"}}'),
    "argument_type_mismatch": (CALL, "{type: tool_call, tool: get_book_status, args: {book_id: true}}"),
    "ineffective_guard": ("  slots:", "  paraphrase: {must_omit: [shelf]}\n  slots:"),
    "dependent_call_binding_failed": ("turn_policy: single_turn", "turn_policy: dependent_call"),
    "invalid_conversation_plan": ("turn_policy: single_turn", "turn_policy: multi_tool"),
    "conversation_not_closed": ("    - {type: final_answer}\n", ""),
    "unknown_key": ("  intent:", "  intnet: x\n  intent:"),
    "wrong_type": ("intent: check_book_status", "intent: [check_book_status]"),
    "duplicate_key": ("  difficulty: easy\n", "  difficulty: easy\n  difficulty: easy\n"),
    "ambiguous_scalar": ("  slots:", "  mutates: no\n  slots:"),
}
IN_CASES = {
    "unknown_result_class": ("result_class: success", "result_class: triumph"),
    "result_class_mismatch": ("result_class: success", "result_class: structured_error"),
    "result_field_mismatch": ("{result_class: success}", "{result_class: success, title: Cooking}"),
    "error_code_mismatch": ("{result_class: success}", "{result_class: success, error_code: not_found}"),
    "unknown_tool": ("tool: get_book_status", "tool: sing"),
}
ELSEWHERE = {
    "absent_id_exists": ("manifest.yaml", "BK-ABSENT-1", "BK-200"),
    "invalid_assertion_capability": ("assertions.py", '"category": "path"', '"category": "route"'),
}


@pytest.fixture
def pack(tmp_path):
    folder = copy_of_tiny_library(tmp_path / "pack")
    for file, sound, faults in (
        ("task_templates.yaml", TEMPLATE, IN_TEMPLATES),
        ("validation_cases.yaml", CASE, IN_CASES),
    ):
        with (folder / file).open("a") as text:
            for number, (old, new) in enumerate(faults.values()):
                copy = sound.format(number=number)
                assert old in copy
                text.write(copy.replace(old, new, 1))
    for file, old, new in ELSEWHERE.values():
        edit(folder / file, old, new)
    return folder


def test_forty_faults_of_forty_kinds_give_forty_findings(pack):
    expected = [*IN_TEMPLATES, *IN_CASES, *ELSEWHERE]
    assert len(expected) == 40
    roots = [each for each in validate(pack).findings if each.root is None]
    assert sorted(each.code for each in roots) == sorted(expected)
    assert all(each.place is not None for each in roots)


def test_each_finding_names_the_template_or_case_that_has_the_fault(pack):
    roots = {each.code: each for each in validate(pack).findings if each.root is None}
    for number, code in enumerate(IN_TEMPLATES):
        if code not in ("duplicate_key", "ambiguous_scalar"):  # told by the reader, before there is a template
            assert roots[code].template_id == f"fault_{number}", code
    for number, code in enumerate(IN_CASES):
        assert roots[code].case_id == f"fault_{number}", code


def test_their_order_is_that_of_files_and_lines_in_every_run(pack, tmp_path):
    first, second = (validate(pack, root=tmp_path / name).findings for name in ("one", "two"))
    assert first == second
    places = [each.place for each in first if each.place is not None]
    assert places == sorted(places)


def test_the_sound_templates_are_proven_all_the_same(pack):
    report = validate(pack)
    stopped = {each.template_id for each in report.findings if each.is_error}
    assert not [template for template in stopped if template and template.startswith("lib_")]
    assert report.stats["n_passed"] >= 5
