"""Packs and findings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.artifacts import tables
from assay.artifacts.codec.rows import (
    PackIdentity,
    from_text,
    identity_of,
    make_table,
    place_columns,
    read_place,
    to_text,
)
from assay.findings import Check, Finding, Severity
from assay.values import canonical_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pyarrow as pa

    from assay.pack.model import Pack


def packs_table(pack: Pack) -> pa.Table:
    """One row about a pack."""
    paths = pack.paths
    oracle_kind = "python" if paths.backend else "endpoint" if paths.endpoint else None
    row = (
        *identity_of(pack.known_by).columns,
        pack.manifest.description,
        oracle_kind,
        len(pack.tools),
        len(pack.templates),
        len(pack.cases),
        len(pack.fixtures or {}),
        sorted(pack.unusable),
        canonical_json({role: getattr(paths, role) for role in paths.__slots__}),
    )
    return make_table(tables.PACKS, [row])


def findings_table(identity: PackIdentity, by_stage: Mapping[str, Iterable[Finding]]) -> pa.Table:
    """One row per finding, with the stage that made it."""
    rows = (_finding_row(identity, stage, each) for stage, found in by_stage.items() for each in found)
    return make_table(tables.FINDINGS, rows)


def _finding_row(identity: PackIdentity, stage: str, finding: Finding) -> tuple[Any, ...]:
    return (
        *identity.columns,
        stage,
        finding.id,
        finding.code,
        str(finding.severity),
        None if finding.check is None else str(finding.check),
        finding.message,
        finding.fix,
        *place_columns(finding.place),
        finding.template_id,
        finding.slot,
        finding.tool,
        finding.case_id,
        finding.task_id,
        finding.assertion,
        finding.root,
        to_text(finding.detail),
    )


def read_findings(table: pa.Table) -> tuple[Finding, ...]:
    """Read back the findings of a stage."""
    return tuple(_read_finding(row) for row in table.to_pylist())


def _read_finding(row: Mapping[str, Any]) -> Finding:
    return Finding(
        code=row["code"],
        severity=Severity(row["severity"]),
        message=row["message"],
        fix=row["fix"],
        check=None if row["check"] is None else Check(row["check"]),
        place=read_place(row),
        template_id=row["template_id"],
        slot=row["slot"],
        tool=row["tool"],
        case_id=row["case_id"],
        task_id=row["task_id"],
        assertion=row["assertion"],
        root=row["root"],
        detail=from_text(row["detail"]),
    )
