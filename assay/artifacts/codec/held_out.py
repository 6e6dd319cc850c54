"""What binding withheld, and what the scan found."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from assay.artifacts import tables
from assay.artifacts.codec.rows import PackIdentity, make_table
from assay.stages.held_out import RowVerdict, ScanReport
from assay.values import canonical_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pyarrow as pa

    from assay.stages.held_out import HeldOutContract

_LISTS = ("blocked_templates", "blocked_fixture_refs")
_COUNTS = ("bind_attempts", "templates_blocked", "fixture_refs_blocked", "tasks_expanded")
_LINEAGE = (
    "contract_version",
    "version",
    "source",
    "policy_hash",
    "fixture_ref_count",
    "template_count",
    "fixtures_in_backend_state",
)


def held_out_bindings_table(identity: PackIdentity, report: Mapping[str, Any] | None) -> pa.Table:
    """One row: the binding report. None without a policy."""
    if report is None:
        return make_table(tables.HELD_OUT_BINDINGS, [])
    policy, counts = report["policy"], report["counts"]
    row = (
        *identity.columns,
        *(policy[name] for name in _LINEAGE),
        canonical_json(policy["seed"]),
        *(report[name] for name in _LISTS),
        *(counts[name] for name in _COUNTS),
    )
    return make_table(tables.HELD_OUT_BINDINGS, [row])


def read_held_out_bindings(rows: Iterable[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Read back the binding report, for files and for whoever must verify it; None without a policy."""
    for row in rows:
        return {
            "contract_version": row["contract_version"],
            "policy": {**{name: row[name] for name in _LINEAGE}, "seed": json.loads(row["seed"])},
            **{name: row[name] for name in _LISTS},
            "counts": {name: row[name] for name in _COUNTS},
        }
    return None


def held_out_scans_table(identity: PackIdentity, contract: HeldOutContract | None, scan: ScanReport | None) -> pa.Table:
    """One row, or none when nothing was scanned."""
    if contract is None or scan is None:
        return make_table(tables.HELD_OUT_SCANS, [])
    hits = [
        {
            "task_id": each.task_id,
            "matched_template_id": each.matched_template_id,
            "matched_fixture_refs": each.matched_fixture_refs,
        }
        for each in scan.hits
    ]
    row = (*identity.columns, contract.lineage["policy_hash"], *scan.counts.values(), scan.action, hits)
    return make_table(tables.HELD_OUT_SCANS, [row])


def read_held_out_scan(rows: Iterable[Mapping[str, Any]]) -> ScanReport | None:
    """Read back the scan; None when nothing was scanned."""
    for row in rows:
        hits = tuple(
            RowVerdict(
                task_id=each["task_id"],
                held_out_hit=True,
                matched_template_id=each["matched_template_id"],
                matched_fixture_refs=tuple(each["matched_fixture_refs"]),
            )
            for each in row["hits"]
        )
        return ScanReport(
            rows_scanned=row["rows_scanned"], planned_rows_published=row["planned_rows_published"], hits=hits
        )
    return None
