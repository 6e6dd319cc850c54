"""Held-out material: what a policy keeps from public benchmarks, and the proof that it stays back.

| module | what |
| --- | --- |
| `contract` | what a policy reserves: canonical references, one hash |
| `reservations` | recognising reserved rows in what slots, results and arguments hold |
| `bindings` | what binding withheld: ledger, report, reading the report back |
| `verdicts` | one verdict per row, one row per verdict |
| `scan` | the scan over everything that passed, and its report |
| `rows` | what is scanned, gathered from the records of a run |
| `review` | what the scan comes to in findings |
"""

from assay.stages.held_out.bindings import BINDINGS_FILE, HeldOutLedger, binding_report, verify_binding_report
from assay.stages.held_out.contract import (
    CONTRACT_VERSION,
    HeldOutContract,
    HeldOutContractError,
    HeldOutLeakError,
    contract_of,
)
from assay.stages.held_out.reservations import Reservations, Share
from assay.stages.held_out.review import HeldOutReview, review_held_out
from assay.stages.held_out.rows import PassedRow, RowReader
from assay.stages.held_out.scan import SCAN_FILE, ScannedRow, ScanReport, scan_rows
from assay.stages.held_out.verdicts import RowVerdict, complete_scan

__all__ = [
    "BINDINGS_FILE",
    "CONTRACT_VERSION",
    "SCAN_FILE",
    "HeldOutContract",
    "HeldOutContractError",
    "HeldOutLeakError",
    "HeldOutLedger",
    "HeldOutReview",
    "PassedRow",
    "Reservations",
    "RowReader",
    "RowVerdict",
    "ScanReport",
    "ScannedRow",
    "Share",
    "binding_report",
    "complete_scan",
    "contract_of",
    "review_held_out",
    "scan_rows",
    "verify_binding_report",
]
