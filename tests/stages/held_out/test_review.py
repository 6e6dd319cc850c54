from dataclasses import replace

import pytest

from assay.findings import Check, Severity, finding
from assay.stages.held_out import HeldOutContract, HeldOutLedger, HeldOutReview, binding_report, review_held_out
from assay.values import indented_json
from tests.stages.held_out.leaks import A, B, bakery, bound, entry, passed, rows_of
from tests.support.models import line_of

LEDGER = HeldOutLedger(bind_attempts=2, blocked_templates=("kept",), blocked_fixture_refs=(), tasks_expanded=9)
MODEL = bakery(entry(slots={"o": "ovens.oven_id"}), entry("kept"), entry("u", slots={"size": "ovens.size"}))


def review(model, rows, *, expanded=9, earlier=None, **changed):
    report = binding_report(HeldOutContract.of(model.held_out), LEDGER)
    given = {"bindings": indented_json(report), "expanded": expanded, "earlier": earlier or {}, **changed}
    return review_held_out(model, rows, **given)


def test_rows_that_touch_nothing():
    result = review(MODEL, rows_of(MODEL, [bound(MODEL, refs=(B,), o="OV-B")]))
    assert (result.findings, result.scan.action, result.scan.rows_scanned) == ((), "publish", 1)


def test_a_row_that_was_bound_to_a_reserved_row():
    instances = [bound(MODEL, number=number, refs=(A,), o="OV-A") for number in range(7)]
    result = review(MODEL, rows_of(MODEL, instances))
    (found,) = result.findings
    assert (found.code, found.severity, found.check) == (
        "held_out_leak_detected",
        Severity.ERROR,
        Check.REPRESENTATIVE_GENERATION_CONTRACT,
    )
    assert found.message == (f'An instance of t would publish the reserved row {A}: `o` is "OV-A" (and 6 more tasks).')
    assert (found.template_id, found.slot, found.task_id) == ("t", "o", instances[0].task_id)
    assert found.place.line == line_of(MODEL.templates[0], "slots", "o", "source")
    assert found.detail == {
        "kind": "reserved_row",
        "fixture_ref": A,
        "tasks": 7,
        "task_ids": [each.task_id for each in instances[:5]],
    }
    assert (result.scan.action, len(result.scan.hits)) == ("abort", 7)


def test_a_row_whose_values_do_not_tell_that_it_was_bound_to_a_reserved_row():
    (found,) = review(MODEL, rows_of(MODEL, [bound(MODEL, "u", refs=(A,), size=1)])).findings
    assert found.message == f"An instance of u would publish the reserved row {A}: it was bound from that row."
    assert (found.slot, found.place.line) == (None, line_of(MODEL.templates[2], "slots"))


def test_a_row_of_a_reserved_template():
    (found,) = review(MODEL, rows_of(MODEL, [bound(MODEL, "kept")])).findings
    assert found.message == "An instance of kept would be published, but that template is reserved."
    assert (found.template_id, found.detail["kind"]) == ("kept", "reserved_template")
    assert (found.place.file, found.place.line) == ("task_templates.yaml", line_of(MODEL.templates[1], "template_id"))


def test_everything_that_leaks_is_told():
    rows = rows_of(MODEL, [bound(MODEL, "kept", refs=(A,)), bound(MODEL, refs=(A,), o="OV-A"), bound(MODEL, number=1)])
    result = review(MODEL, rows)
    assert [(each.template_id, each.detail["kind"]) for each in result.findings] == [
        ("kept", "reserved_template"),
        ("kept", "reserved_row"),
        ("t", "reserved_row"),
    ]
    assert result.scan.counts["rows_hit"] == 2


@pytest.mark.parametrize(
    ("changed", "why"),
    [({"bindings": None}, "left no held_out_bindings.json"), ({"expanded": 8}, "binding left 8")],
)
def test_a_binding_report_that_is_refused_leaves_no_scan_and_hides_no_leak(changed, why):
    rows = rows_of(MODEL, [bound(MODEL, refs=(A,), o="OV-A")])
    result = review(MODEL, rows, **changed)
    assert result.scan is None
    refused, leak = result.findings
    assert (refused.code, refused.detail) == ("held_out_leak_detected", {"kind": "binding_report_refused"})
    assert why in refused.message
    assert (refused.place.file, refused.root) == ("held_out.yaml", None)
    assert leak.detail["kind"] == "reserved_row"


def test_rows_that_cannot_be_told_apart_are_a_refusal():
    instance = bound(MODEL)
    rows = rows_of(MODEL, [instance], verdicts=[passed(instance), passed(instance)])
    root = finding("duplicate_task_id", "2 instances have the id")
    result = review(MODEL, rows, earlier={"bind": [root]})
    (found,) = result.findings
    assert (result.scan, found.detail, found.root) == (None, {"kind": "scan_incomplete"}, root.id)
    assert instance.task_id in found.message


def test_a_binding_stage_that_broke_down_is_the_root():
    root = finding("internal_error", "stage bind of assay broke down")
    (found,) = review(MODEL, (), bindings=None, earlier={"bind": [root]}).findings
    assert found.root == root.id


def test_a_policy_with_faults_is_summed_up_and_nothing_is_called_clean():
    model = bakery(entry())
    model = replace(model, paths=replace(model.paths, held_out="held_out.yaml"))
    at = model.held_out.at.place("fixtures")
    faults = [
        finding("identity_not_text", "a warning", at=at),
        finding("held_out_unknown_id", "first", at=at),
        finding("unknown_collection", "of another file", at=model.templates[0].at.place()),
        finding("held_out_unknown_template", "second", at=model.held_out.at.place("templates")),
    ]
    result = review(model, rows_of(model, [bound(model)]), earlier={"load": faults})
    (found,) = result.findings
    assert (found.code, found.severity, found.check) == ("held_out_contract_invalid", Severity.ERROR, None)
    assert found.message == (
        "The held-out policy has 2 faults, so what it reserves is not certain: held_out_unknown_id."
    )
    assert (found.place, found.root) == (at, faults[1].id)
    assert found.detail == {"reasons": ["held_out_unknown_id", "held_out_unknown_template"]}
    assert result.scan is None


def test_without_a_policy_nothing_is_scanned():
    model = bakery(entry(), reserved=None)
    assert review_held_out(model, (), bindings=None, expanded=1, earlier={}) == HeldOutReview()
