"""Pinned behaviours that neither a case nor a test of one part shows; `behaviours.yaml` points here."""

from __future__ import annotations

import pytest
import yaml

from assay import validate
from assay.findings import Check
from assay.schema import definition_problems
from tests.conformance.checks import CASES
from tests.conformance.test_tracing import traced
from tests.support.pack_files import load, spoil, write_pack
from tests.support.packs import TINY_LIBRARY, copy_of_tiny_library

TEMPLATES = "task_templates.yaml"
LOOKUP = "- {type: tool_call, tool: get_book_status}"
REFUSAL = """\
def _refuse(*, state, trace, task, ctx):
    raise AssertionError("never")


ASSERTIONS = dict.fromkeys(ASSERTIONS, _refuse)

ASSERTION_CAPABILITIES = {"""

# What check 7 says of a pack with one change: the precise code, the summarising one of how many templates, and how many
# tasks pass all the same. A broken guard costs the text its place in a benchmark, but its calls are replayed.
CONTRACT_BREACHES = {
    "an undeclared argument": (
        (TEMPLATES, LOOKUP, "- {type: tool_call, tool: get_book_status, args: {shelf: A}}"),
        ("unknown_argument", "representative_trace_schema_mismatch", 1, 4),
    ),
    "no final answer": (
        ("manifest.yaml", '  final_answer:\n    en: "Done."\n', ""),
        ("missing_assistant_turn_templates", "representative_generation_failed", 4, 5),
    ),
    "a visible slot that is not stated": (
        (TEMPLATES, "Is book {book_id} on the shelf", "Is that book on the shelf"),
        ("representative_surface_guard_violation", "representative_surface_guard_violation", 1, 5),
    ),
    "assertions that always fail": (
        ("assertions.py", "ASSERTION_CAPABILITIES = {", REFUSAL),
        ("assertion_failed", "representative_replay_failed", 5, 0),
    ),
}


def errors_of_check_7(report):
    return [
        each for each in report.findings if each.is_error and each.check is Check.REPRESENTATIVE_GENERATION_CONTRACT
    ]


@pytest.mark.parametrize("breach", CONTRACT_BREACHES)
def test_a_breach_of_the_generation_contract_has_its_code_and_its_summary(tmp_path, breach):
    change, (precise, summary, templates, passed) = CONTRACT_BREACHES[breach]
    report = validate(copy_of_tiny_library(tmp_path / "pack", change))
    errors = errors_of_check_7(report)
    assert {each.code for each in errors} == {precise, summary}
    assert len({each.template_id for each in errors if each.code == summary}) == templates
    assert report.stats["n_passed"] == passed
    assert not report.gold_eligible


def test_a_budget_below_the_number_of_templates_breaks_the_contract_of_the_run(tmp_path):
    copy_of_tiny_library(tmp_path / "pack")
    config = tmp_path / "run.yaml"
    config.write_text("oracle_pack: {manifest_path: pack/manifest.yaml}\ntask_generation: {tasks_per_category: 1}\n")
    root, summary = errors_of_check_7(validate(config=config))
    assert (root.code, summary.code) == ("category_budget_too_small", "run_contract_failed")
    assert "tasks_per_category" in summary.message
    assert (summary.template_id, summary.root) == (None, root.id)


def test_a_marker_wins_over_a_slot_of_the_same_name(tmp_path):
    case = yaml.safe_load((CASES / "25-dependent-call-structure.yaml").read_text(encoding="utf-8"))
    slots = {name: {"visible_in_first_turn": True} for name in case["given"]["task"]["slots"]}
    template = case["checks"][0]["input"]["template"] | {"slots": slots}
    result = traced(case["given"] | {"template": template}, tmp_path)
    assert case["given"]["task"]["slots"]["sailing_id"] == "S-1"
    assert [call.arguments for call in result.traces[0].calls] == [{"port": "Oban"}, {"sailing_id": "S-77"}]
    assert result.findings == ()


def test_a_prompt_file_above_the_pack_is_refused(tmp_path):
    folder = write_pack(tmp_path / "pack")
    (tmp_path / "prompt.txt").write_text("You answer.\n")
    place = spoil(folder, "manifest.yaml", "clock:", "system_prompt_path: §../prompt.txt\nclock:")
    (found,) = load(folder).findings
    assert (found.code, found.place) == ("path_outside_roots", place)


def test_the_tiny_library_has_parallel_calls_and_an_irrelevant_request():
    entries = yaml.safe_load((TINY_LIBRARY / TEMPLATES).read_text(encoding="utf-8"))
    templates = {each["template_id"]: each for each in entries}
    parallel, irrelevant = templates["lib_status_parallel"], templates["lib_irrelevant_renew"]
    calls = [each for each in parallel["assistant_milestones"] if each["type"] == "tool_call"]
    assert len(calls) >= 2
    assert len({each["call_group"] for each in calls}) == 1
    assert irrelevant["required_tools"] == []
    assert [each["type"] for each in irrelevant["assistant_milestones"]] == ["decline"]


def test_a_default_of_the_wrong_type_names_its_place_and_what_is_wrong_with_it():
    parameters = {"type": "object", "properties": {"crates": {"type": "integer", "default": "many"}}}
    (problem,) = definition_problems({"type": "function", "function": {"name": "load", "parameters": parameters}})
    told = problem.to_json()
    assert (told["reason"], told["path"], told["failure"]) == (
        "invalid_schema_default",
        "$.crates",
        "argument_type_mismatch",
    )
