"""Each code that the seeds list under "Common failures", made by one change to a Gold pack, at its exact place."""

import shutil

import pytest

from assay import validate
from assay.findings import Place
from tests.support.pack_files import edit, spoil
from tests.support.packs import PACKS, copy_of_tiny_library

TEMPLATES = "task_templates.yaml"
ASSERTIONS = "assertions.py"

FAILURES = {
    # The seed on assertions.
    "assertions_import_failed": (ASSERTIONS, "ASSERTIONS = {", "§1 / 0\nASSERTIONS = {"),
    "template_without_success_assertion": (
        TEMPLATES,
        "success_assertions: [assert_no_tool_called]",
        "§success_assertions: []",
    ),
    "missing_assertion": (TEMPLATES, "[assert_no_tool_called]", "[§assert_nothing_called]"),
    "invalid_signature": (
        ASSERTIONS,
        "def assert_no_tool_called(*, state, trace, task, ctx)",
        "§def assert_no_tool_called(*, state, trace, task)",
    ),
    "invalid_assertion_capability": (
        ASSERTIONS,
        '"executable": True, "category": "path"',
        '"executable": True, "category": §"route"',
    ),
    "assertion_not_executable_compatible": (
        ASSERTIONS,
        '"executable": True, "category": "path"',
        '"executable": False, "category": "path"',
    ),
    "assertion_failed": (
        ASSERTIONS,
        '    called = sorted(entry["tool"] for entry in trace)',
        '    §assert trace, "nobody called"\n    called = sorted(entry["tool"] for entry in trace)',
    ),
    # The seed on task templates.
    "slot_missing_visibility_flag": (
        TEMPLATES,
        "      visible_in_first_turn: false\n      label",
        "      label",
    ),
    "unknown_turn_policy": (TEMPLATES, "turn_policy: single_turn", "turn_policy: §single-turn"),
    "missing_assistant_turn_templates": (
        "manifest.yaml",
        '  decline:\n    en: "I am sorry, none of my services at this desk covers that."\n',
        "",
    ),
    "tool_not_exposed": (
        TEMPLATES,
        "mutates: true\n  required_tools: [checkout_book]",
        "mutates: true\n  tools_present: [get_book_status]\n  required_tools: [§checkout_book]",
    ),
}
"""Code -> (file, text of the Gold pack, what replaces it, `§` before the place that the finding must name)."""

ELSEWHERE = {
    "assertion_not_executable_compatible",  # at the reference that the declaration breaks
    "slot_missing_visibility_flag",  # what is missing has no place: at the slot
    "missing_assistant_turn_templates",  # likewise: at the milestone
}


def place_of(text, line_text, mark, offset):
    """Return the place of a mark in the first line that equals a text."""
    lines = text.splitlines()
    number = lines.index(line_text)
    return Place(TEMPLATES, number + 1, line_text.index(mark) + 1 + (offset or 0))


def roots(report, code):
    return [each for each in report.findings if each.code == code and each.root is None]


def said(report):
    return [f"{each.code} at {each.place}: {each.message}" for each in report.findings]


def test_the_untouched_pack_is_gold_without_a_single_finding(tmp_path):
    report = validate(copy_of_tiny_library(tmp_path / "pack"))
    assert said(report) == []
    assert report.status == "gold"
    assert report.stats["n_passed"] == report.stats["n_proven"] == 5


@pytest.mark.parametrize("code", [code for code in FAILURES if code not in ELSEWHERE])
def test_one_change_gives_one_finding_at_its_place(tmp_path, code):
    folder = copy_of_tiny_library(tmp_path / "pack")
    place = spoil(folder, *FAILURES[code])
    report = validate(folder)
    assert [each.place for each in roots(report, code)] == [place], said(report)
    assert {each.code for each in report.findings if each.root is None} == {code}, said(report)
    assert report.status == "not_gold"


def test_an_assertion_that_is_not_executable_is_reported_where_a_template_names_it(tmp_path):
    folder = copy_of_tiny_library(tmp_path / "pack")
    edit(folder / ASSERTIONS, *FAILURES["assertion_not_executable_compatible"][1:])
    (found,) = roots(validate(folder), "assertion_not_executable_compatible")
    text = (folder / TEMPLATES).read_text()
    assert found.place == place_of(text, "  success_assertions: [assert_no_tool_called]", "[", 1)
    assert (found.template_id, found.assertion) == ("lib_irrelevant_renew", "assert_no_tool_called")


def test_a_slot_without_its_flag_is_reported_at_the_slot(tmp_path):
    folder = copy_of_tiny_library(tmp_path / "pack")
    edit(folder / TEMPLATES, *FAILURES["slot_missing_visibility_flag"][1:])
    (found,) = roots(validate(folder), "slot_missing_visibility_flag")
    lines = (folder / TEMPLATES).read_text().splitlines()
    label = lines.index('      label: {en: "book id"}') + 1
    assert found.place.file == TEMPLATES
    assert label - 2 <= found.place.line <= label - 1
    assert (found.template_id, found.slot) == ("lib_status_missing_id", "book_id")


def test_a_milestone_without_words_is_reported_at_the_milestone(tmp_path):
    folder = copy_of_tiny_library(tmp_path / "pack")
    edit(folder / FAILURES["missing_assistant_turn_templates"][0], *FAILURES["missing_assistant_turn_templates"][1:])
    (found,) = roots(validate(folder), "missing_assistant_turn_templates")
    text = (folder / TEMPLATES).read_text()
    assert found.place == place_of(text, "    - {type: decline}", "{", 0)
    assert "decline" in found.message


def test_a_question_that_could_mean_two_slots_must_name_one(tmp_path):
    """The small pack withholds one slot at most; the bank has a template that withholds two."""
    folder = tmp_path / "pack"
    shutil.copytree(PACKS / "corner_bank", folder)
    place = spoil(
        folder, TEMPLATES, "{type: ask_for_slot, slot: amount, id: ask_amount}", "§{type: ask_for_slot, id: ask_amount}"
    )
    report = validate(folder)
    assert [each.place for each in roots(report, "ask_for_slot_without_a_named_slot")] == [place], said(report)


def test_every_common_failure_of_both_seeds_is_here():
    assert {*FAILURES, "ask_for_slot_without_a_named_slot"} == {
        "assertions_import_failed",
        "template_without_success_assertion",
        "missing_assertion",
        "invalid_signature",
        "invalid_assertion_capability",
        "assertion_not_executable_compatible",
        "assertion_failed",
        "slot_missing_visibility_flag",
        "unknown_turn_policy",
        "ask_for_slot_without_a_named_slot",
        "missing_assistant_turn_templates",
        "tool_not_exposed",
    }
