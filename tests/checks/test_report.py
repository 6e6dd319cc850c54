import json

import pytest

from assay.checks.report import CheckResult, Report, judge_checks
from assay.checks.representatives import summarise_representatives
from assay.findings import Check, Place, Severity, finding

STATS = {"n_templates": 1, "n_assertions": 1, "n_tools": 1}


def error(check, code="internal_error", **concerns):
    return finding(code, "wrong", check=check, **concerns)


def report(findings=(), skipped=None, unusable=(), stats=STATS):
    checks = judge_checks(findings, skipped or {}, unusable)
    return Report(
        pack_id="p",
        pack_version="1",
        pack_fingerprint="f",
        checks=checks,
        findings=tuple(findings),
        stats=stats,
    )


def status_of(made, check):
    return next(each.status for each in made.checks if each.check is check)


def test_a_pack_with_nothing_wrong_is_gold():
    made = report()
    assert (made.status, made.tier, made.gold_eligible) == ("gold", "gold", True)


@pytest.mark.parametrize("check", list(Check))
def test_an_error_fails_its_check_and_nothing_else_fails(check):
    made = report([error(check)])
    assert [each.check for each in made.checks if each.status == "fail"] == [check]
    assert made.tier == "silver"


@pytest.mark.parametrize("severity", [Severity.WARNING, Severity.NOTE])
def test_warnings_and_notes_leave_gold_alone(severity):
    made = report([finding("internal_error", "hm", check=Check.ERROR_SHAPE, severity=severity)])
    assert made.gold_eligible
    assert len(made.checks[9].findings) == 1


def test_an_error_that_counts_against_no_check_keeps_a_pack_from_gold():
    made = report([error(None)])
    assert not made.gold_eligible
    assert {each.status for each in made.checks} == {"pass"}


def test_a_skipped_check_is_never_gold():
    made = report(skipped={Check.TIMEOUT_WIRING: "worker is thread"})
    assert status_of(made, Check.TIMEOUT_WIRING) == "skipped"
    assert not made.gold_eligible


def test_every_check_is_skipped_when_there_is_no_manifest():
    made = report([error(None)], unusable=("manifest",), stats={})
    assert {each.status for each in made.checks} == {"skipped"}
    assert made.tier == "prototype"


def test_a_check_with_an_error_fails_even_when_part_of_it_could_not_run():
    made = report([error(Check.TEMPLATE_TOOL_NAMES)], unusable=("templates",))
    assert status_of(made, Check.TEMPLATE_TOOL_NAMES) == "fail"
    assert status_of(made, Check.TEMPLATE_SLOT_SOURCES) == "skipped"


@pytest.mark.parametrize(
    "blocking", [Check.TEMPLATE_TOOL_NAMES, Check.TEMPLATE_SLOT_SOURCES, Check.BACKEND_SCHEMA_ALIGNMENT]
)
def test_representatives_are_not_called_passed_when_what_they_need_failed(blocking):
    made = report([error(blocking)])
    assert status_of(made, Check.REPRESENTATIVE_GENERATION_CONTRACT) == "skipped"


def test_gold_needs_the_exact_set_of_checks():
    made = report()
    fewer = Report(
        pack_id="p", pack_version="1", pack_fingerprint="f", checks=made.checks[1:], findings=(), stats=STATS
    )
    twice = Report(
        pack_id="p", pack_version="1", pack_fingerprint="f", checks=made.checks * 2, findings=(), stats=STATS
    )
    assert not fewer.gold_eligible
    assert not twice.gold_eligible


@pytest.mark.parametrize("lacking", ["n_templates", "n_assertions"])
def test_a_pack_without_templates_or_assertions_proves_nothing(lacking):
    assert not report(stats={**STATS, lacking: 0}).gold_eligible


def test_ids_are_numbers_for_the_seven_and_texts_for_the_others():
    ids = [each["id"] for each in report().to_json()["checks"]]
    assert ids == [1, 2, 3, 4, 5, 6, 7, "M1", "D1", "D2", "T1", "I1"]


def test_the_report_is_json():
    made = report([error(Check.DETERMINISM_CHECK, detail={"a": [1]})])
    again = json.loads(json.dumps(made.to_json()))
    assert again["findings"][0]["detail"] == {"a": [1]}
    assert again["checks"][8]["findings"][0]["code"] == "internal_error"


def test_a_check_result_keeps_its_reason():
    result = CheckResult(check=Check.ERROR_SHAPE, status="skipped", reason="why", findings=())
    assert result.to_json()["reason"] == "why"


@pytest.mark.parametrize(
    ("stages", "code"),
    [
        (("render", "trace"), "representative_generation_failed"),
        (("schema_check", "replay"), "representative_trace_schema_mismatch"),
        (("replay", "assert"), "representative_replay_failed"),
    ],
)
def test_each_failed_template_gets_one_summary_at_the_place_of_its_first_error(stages, code):
    here, there = Place("task_templates.yaml", 7, 3), Place("task_templates.yaml", 9, 3)
    first = error(Check.REPRESENTATIVE_GENERATION_CONTRACT, at=here, template_id="t")
    second = error(Check.REPRESENTATIVE_GENERATION_CONTRACT, at=there, template_id="t", slot="s")
    other = error(Check.REPRESENTATIVE_GENERATION_CONTRACT, at=there, template_id="u")
    made = summarise_representatives({stages[0]: [first, other], stages[1]: [second]})
    assert [(each.code, each.template_id, each.place, each.root) for each in made] == [
        (code, "t", here, first.id),
        (code, "u", there, other.id),
    ]


def test_what_stops_the_whole_run_is_summarised_as_such():
    root = error(Check.REPRESENTATIVE_GENERATION_CONTRACT, at=Place("manifest.yaml", 4, 2))
    (made,) = summarise_representatives({"bind": [root]})
    assert (made.code, made.root, made.place) == ("run_contract_failed", root.id, root.place)


def test_a_budget_that_leaves_a_template_out_is_summarised_as_a_fault_of_the_run():
    root = finding("category_budget_too_small", "too small", template_id="t")
    other = error(Check.REPRESENTATIVE_GENERATION_CONTRACT, template_id="t")
    made = summarise_representatives({"bind": [root], "replay": [other]})
    assert [(each.code, each.template_id, each.root) for each in made] == [
        ("run_contract_failed", None, root.id),
        ("representative_replay_failed", "t", other.id),
    ]


def test_warnings_and_errors_of_other_checks_are_not_summarised():
    warning = finding("internal_error", "hm", check=Check.REPRESENTATIVE_GENERATION_CONTRACT, severity=Severity.WARNING)
    assert summarise_representatives({"render": [warning, error(Check.TEMPLATE_TOOL_NAMES, template_id="t")]}) == ()
