import pytest

from assay.stages.held_out import (
    HeldOutContract,
    HeldOutLeakError,
    HeldOutLedger,
    RowVerdict,
    ScannedRow,
    binding_report,
    scan_rows,
)

A, B, C = '["ovens","A"]', '["ovens","B"]', '["ovens","C"]'
CONTRACT = HeldOutContract(version="1", fixture_refs=(A, B), template_ids=("kept",))


def row(task_id, template_id="t", refs=(), **changed):
    return ScannedRow(task_id=task_id, template_id=template_id, fixture_refs=refs, **changed)


def test_rows_that_touch_nothing_may_be_published():
    scan = scan_rows(CONTRACT, [row("x", refs=(C,)), row("y", planned=False)])
    assert (scan.action, scan.hits) == ("publish", ())
    assert scan.counts == {
        "rows_scanned": 2,
        "rows_hit": 0,
        "rows_blocked": 0,
        "rows_dropped": 0,
        "planned_rows_published": 1,
        "rows_published": 1,
    }
    scan.require_no_leak()


def test_one_hit_blocks_everything_and_drops_nothing():
    rows = [row("z", refs=(B, C)), row("y"), row("x", "kept"), row("w", named_refs=(A,), refs=(B,), planned=False)]
    scan = scan_rows(CONTRACT, rows)
    assert scan.action == "abort"
    assert scan.hits == (
        RowVerdict(task_id="w", held_out_hit=True, matched_fixture_refs=(A, B)),
        RowVerdict(task_id="x", held_out_hit=True, matched_template_id="kept"),
        RowVerdict(task_id="z", held_out_hit=True, matched_fixture_refs=(B,)),
    )
    assert scan.counts == {
        "rows_scanned": 4,
        "rows_hit": 3,
        "rows_blocked": 3,
        "rows_dropped": 0,
        "planned_rows_published": 3,
        "rows_published": 0,
    }
    with pytest.raises(HeldOutLeakError, match=r"3 of 4 rows bind held-out material: w, x, z$"):
        scan.require_no_leak()


def test_only_the_first_five_rows_are_named():
    scan = scan_rows(CONTRACT, [row(f"r{number}", "kept") for number in range(7)])
    with pytest.raises(HeldOutLeakError, match=r"r0, r1, r2, r3, r4 and 2 more$"):
        scan.require_no_leak()


def test_without_rows_there_is_nothing_to_block():
    assert scan_rows(CONTRACT, []).action == "publish"


def test_a_policy_that_reserves_nothing_is_scanned_for_all_the_same():
    scan = scan_rows(HeldOutContract(version="1"), [row("x", "kept", (A,))])
    assert (scan.rows_scanned, scan.action) == (1, "publish")


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([row("x", None)], "nothing records what the row x"),
        ([row("x", "")], "nothing records what the row x"),
        ([row("x", refs=None)], "nothing records what the row x"),
        ([row("x"), row("x")], "same id"),
        ([row("")], "no id"),
    ],
)
def test_rows_that_cannot_be_scanned(rows, why):
    with pytest.raises(HeldOutLeakError, match=why):
        scan_rows(CONTRACT, rows)


def test_the_report_repeats_what_binding_reported():
    ledger = HeldOutLedger(bind_attempts=4, blocked_templates=("kept",), blocked_fixture_refs=(A,), tasks_expanded=2)
    bindings = binding_report(CONTRACT, ledger)
    scan = scan_rows(CONTRACT, [row("x", refs=(A,)), row("y")])
    assert scan.to_json(bindings) == {
        "contract_version": "1.0",
        "policy": CONTRACT.lineage,
        "stage_four": {
            "blocked_templates": ["kept"],
            "blocked_fixture_refs": [A],
            "counts": {"bind_attempts": 4, "templates_blocked": 1, "fixture_refs_blocked": 1, "tasks_expanded": 2},
        },
        "counts": scan.counts,
        "action": "abort",
        "hits": [{"task_id": "x", "matched_template_id": None, "matched_fixture_refs": [A]}],
    }
