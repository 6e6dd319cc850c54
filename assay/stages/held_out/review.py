"""What the scan comes to in findings.

A leak is a fault of ours or of a pack that hides ids where binding does not look; either way the pack is not Gold and
nothing of it may be published. Equal leaks of many rows are told once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.findings import Finding, finding
from assay.stages.held_out.bindings import verify_binding_report
from assay.stages.held_out.contract import HeldOutLeakError, contract_of
from assay.stages.held_out.scan import ScanReport, judge_row, scan_rows
from assay.stages.tally import FindingTally
from assay.values import canonical_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from assay.pack.model import Pack
    from assay.stages.held_out.contract import HeldOutContract
    from assay.stages.held_out.rows import PassedRow
    from assay.stages.held_out.scan import ScannedRow
    from assay.stages.held_out.verdicts import RowVerdict

_LEAK = "held_out_leak_detected"
_ROOTS_IN_BINDING = ("internal_error", "duplicate_task_id")
"""What binding tells when its report cannot be complete, or when rows cannot be told apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOutReview:
    """What came of looking for held-out material.

    Attributes:
        scan: None without a policy, and when the policy, the binding report or the scan itself cannot be trusted.
        findings: in the order of the rows.
    """

    scan: ScanReport | None = None
    findings: tuple[Finding, ...] = ()


def review_held_out(
    pack: Pack,
    rows: Iterable[PassedRow],
    *,
    bindings: str | None,
    expanded: int,
    earlier: Mapping[str, Iterable[Finding]],
) -> HeldOutReview:
    """Verify what binding reported, scan every row, and tell what leaks.

    Args:
        pack: the loaded pack.
        rows: every row that passed; read once.
        bindings: text of the binding report; None when there is none.
        expanded: public instances that binding left.
        earlier: stage -> its findings, for the roots of what follows from them.
    """
    told = [*_contract_findings(pack, earlier.get("load", ()))]
    contract = contract_of(pack.held_out)
    if contract is None:
        return HeldOutReview(findings=tuple(told))
    roots = [each for each in earlier.get("bind", ()) if each.code in _ROOTS_IN_BINDING]
    is_trusted = not told
    try:
        verify_binding_report(bindings, contract, expanded)
    except HeldOutLeakError as error:
        is_trusted = False
        told.append(_refused(pack, "binding_report_refused", error, roots))
    leaks = FindingTally()
    try:
        scan = scan_rows(contract, _watched(pack, contract, rows, leaks))
    except HeldOutLeakError as error:
        return HeldOutReview(findings=(*told, _refused(pack, "scan_incomplete", error, roots)))
    return HeldOutReview(scan=scan if is_trusted else None, findings=(*told, *leaks.findings()))


def _contract_findings(pack: Pack, loading: Iterable[Finding]) -> Iterator[Finding]:
    """Sum up the faults of the policy's file under the code that scripts for the reference look for."""
    file = pack.paths.held_out
    faults = [each for each in loading if each.is_error and each.place is not None and each.place.file == file]
    if file is not None and faults:
        what = f"{len(faults)} faults" if len(faults) > 1 else "a fault"
        message = f"The held-out policy has {what}, so what it reserves is not certain: {faults[0].code}."
        detail = {"reasons": [*dict.fromkeys(each.code for each in faults)]}
        yield finding("held_out_contract_invalid", message, at=faults[0].place, detail=detail).following(faults[0])


def _refused(pack: Pack, kind: str, error: HeldOutLeakError, roots: Sequence[Finding]) -> Finding:
    place = None if pack.held_out is None else pack.held_out.at.place()
    message = f"Nobody can say that held-out material stays back: {error}."
    told = finding(_LEAK, message, at=place, detail={"kind": kind})
    return told.following(roots[0]) if roots else told


def _watched(
    pack: Pack, contract: HeldOutContract, rows: Iterable[PassedRow], leaks: FindingTally
) -> Iterator[ScannedRow]:
    """Pass rows to the scan; tell everything by which they leak, once for all in which the same leaks in one place."""
    for row in rows:
        for leak in _leaks_of(pack, row, judge_row(contract, row.scanned)):
            leaks.add(leak, apart=canonical_json(leak.detail))
        yield row.scanned


def _leaks_of(pack: Pack, row: PassedRow, hit: RowVerdict) -> Iterator[Finding]:
    template_id = row.scanned.template_id or ""
    template = pack.template_named(template_id)
    if hit.matched_template_id is not None:
        yield finding(
            _LEAK,
            f"An instance of {template_id} would be published, but that template is reserved.",
            at=None if template is None else template.at.place("template_id"),
            template_id=template_id,
            task_id=hit.task_id,
            detail={"kind": "reserved_template"},
        )
    for ref in hit.matched_fixture_refs:
        seen = row.sightings.get(ref)
        how = "it was bound from that row" if seen is None else seen.told
        bound = None if template is None else template.at.place("slots")
        yield finding(
            _LEAK,
            f"An instance of {template_id} would publish the reserved row {ref}: {how}.",
            at=bound if seen is None else seen.at,
            template_id=template_id,
            slot=None if seen is None else seen.slot,
            tool=None if seen is None else seen.tool,
            task_id=hit.task_id,
            detail={"kind": "reserved_row", "fixture_ref": ref},
        )
