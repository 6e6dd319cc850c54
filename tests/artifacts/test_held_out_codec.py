import pytest

from assay.artifacts import codec
from assay.stages.held_out import HeldOutContract, HeldOutLedger, RowVerdict, ScanReport, binding_report

BANK = codec.PackIdentity(pack_id="bank", version="1", fingerprint="f" * 64)
A, B = '["đèn","A-1"]', '["đèn","B-2"]'
CONTRACT = HeldOutContract(version="2", fixture_refs=(A, B), template_ids=("kept",), seed=-(10**30), source="h.yaml")


@pytest.mark.parametrize("contract", [CONTRACT, HeldOutContract(version="1", fixtures_in_backend_state=False)])
def test_a_binding_report_comes_back_whole(contract):
    ledger = HeldOutLedger(
        bind_attempts=9, blocked_templates=contract.template_ids, blocked_fixture_refs=(), tasks_expanded=4
    )
    report = binding_report(contract, ledger)
    table = codec.held_out_bindings_table(BANK, report)
    assert table.num_rows == 1
    assert table.column("policy_hash").to_pylist() == [contract.lineage["policy_hash"]]
    assert codec.read_held_out_bindings(table.to_pylist()) == report


@pytest.mark.parametrize(
    "hits",
    [
        (),
        (
            RowVerdict(task_id="a", held_out_hit=True, matched_template_id="kept"),
            RowVerdict(task_id="b", held_out_hit=True, matched_fixture_refs=(A, B)),
        ),
    ],
)
def test_a_scan_comes_back_whole(hits):
    scan = ScanReport(rows_scanned=5, planned_rows_published=3, hits=hits)
    table = codec.held_out_scans_table(BANK, CONTRACT, scan)
    (row,) = table.to_pylist()
    assert {name: row[name] for name in scan.counts} == scan.counts
    assert (row["action"], row["policy_hash"]) == (scan.action, CONTRACT.lineage["policy_hash"])
    assert codec.read_held_out_scan(table.to_pylist()) == scan


def test_without_a_policy_both_tables_are_empty():
    bindings, scans = codec.held_out_bindings_table(BANK, None), codec.held_out_scans_table(BANK, None, None)
    assert (bindings.num_rows, scans.num_rows) == (0, 0)
    assert codec.read_held_out_bindings(bindings.to_pylist()) is None
    assert codec.read_held_out_scan(scans.to_pylist()) is None
    assert codec.held_out_scans_table(BANK, CONTRACT, None).num_rows == 0
