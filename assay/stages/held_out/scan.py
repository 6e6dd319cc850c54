"""The publication scan: no row that may be published touches held-out material.

Binding keeps reserved rows and templates out; the scan does not believe it. It looks at every row that passed its
replays, published or not, and one hit stops the publication of all: rows are not dropped quietly, because that would
shift the balance of what is left. Its report is `held_out_scan.json` (`reference/bind-plan-render.md` 1.9).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from assay.stages.held_out.contract import CONTRACT_VERSION, HeldOutLeakError
from assay.stages.held_out.verdicts import RowVerdict, complete_scan, first_few, require_row_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from assay.stages.held_out.contract import HeldOutContract
    from assay.values import JsonObject

SCAN_FILE: Final = "held_out_scan.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScannedRow:
    """What the scan looks at of one row.

    Attributes:
        task_id: the row.
        template_id: None when it is not recorded.
        fixture_refs: rows that it was bound from; None when they are not recorded.
        named_refs: reserved rows that its values name (ruling 17).
        planned: it would be published.
    """

    task_id: str
    template_id: str | None
    fixture_refs: tuple[str, ...] | None
    named_refs: tuple[str, ...] = ()
    planned: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanReport:
    """What the scan found.

    Attributes:
        rows_scanned: all rows that passed.
        planned_rows_published: those of them that would be published.
        hits: verdicts on the rows that touch held-out material, by task id.
    """

    rows_scanned: int
    planned_rows_published: int
    hits: tuple[RowVerdict, ...]

    @property
    def action(self) -> str:
        """`publish`, or `abort` when there is a hit."""
        return "abort" if self.hits else "publish"

    @property
    def counts(self) -> dict[str, int]:
        """The counts of the report. Nothing is ever dropped: a hit blocks everything."""
        return {
            "rows_scanned": self.rows_scanned,
            "rows_hit": len(self.hits),
            "rows_blocked": len(self.hits),
            "rows_dropped": 0,
            "planned_rows_published": self.planned_rows_published,
            "rows_published": 0 if self.hits else self.planned_rows_published,
        }

    def require_no_leak(self) -> None:
        """Stop whoever is about to publish.

        Raises:
            HeldOutLeakError: when there is a hit; the first five rows are named.
        """
        if self.hits:
            named = first_few([each.task_id for each in self.hits])
            raise HeldOutLeakError(f"{len(self.hits)} of {self.rows_scanned} rows bind held-out material: {named}")

    def to_json(self, bindings: Mapping[str, Any]) -> JsonObject:
        """Return the content of `held_out_scan.json`.

        Args:
            bindings: the binding report of the same run, verified.
        """
        return {
            "contract_version": CONTRACT_VERSION,
            "policy": bindings["policy"],
            "stage_four": {name: bindings[name] for name in ("blocked_templates", "blocked_fixture_refs", "counts")},
            "counts": {**self.counts},
            "action": self.action,
            "hits": [
                {
                    "task_id": each.task_id,
                    "matched_template_id": each.matched_template_id,
                    "matched_fixture_refs": [*each.matched_fixture_refs],
                }
                for each in self.hits
            ],
        }


def scan_rows(contract: HeldOutContract, rows: Iterable[ScannedRow]) -> ScanReport:
    """Judge every row. Of each row its verdict is held, not the row.

    Raises:
        HeldOutLeakError: for a row without a record of what it was bound from, or that cannot be told from another.
    """
    task_ids: list[str] = []
    judged: list[RowVerdict] = []
    planned = 0
    for row in rows:
        task_ids.append(row.task_id)
        judged.append(judge_row(contract, row))
        planned += row.planned
    verdicts = complete_scan(task_ids, judged)
    hits = sorted((each for each in verdicts if each.held_out_hit), key=lambda verdict: verdict.task_id)
    return ScanReport(rows_scanned=len(verdicts), planned_rows_published=planned, hits=tuple(hits))


def judge_row(contract: HeldOutContract, row: ScannedRow) -> RowVerdict:
    """Return the verdict on one row.

    Raises:
        HeldOutLeakError: for a row without an id, or without a record of what it was bound from.
    """
    require_row_id(row.task_id)
    if not row.template_id or row.fixture_refs is None:
        raise HeldOutLeakError(f"nothing records what the row {row.task_id} was bound from")
    template_id = row.template_id if contract.blocks_template(row.template_id) else None
    refs = contract.matched_fixture_refs((*row.fixture_refs, *row.named_refs))
    return RowVerdict(
        task_id=row.task_id,
        held_out_hit=template_id is not None or bool(refs),
        matched_template_id=template_id,
        matched_fixture_refs=refs,
    )
