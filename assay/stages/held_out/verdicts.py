"""One verdict per row, and the proof that there is one for each (`reference/loading.md` 3.4)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.stages.held_out.contract import (
    CONTRACT_VERSION,
    HeldOutContractError,
    HeldOutLeakError,
    require_canonical_ref,
    require_contract_version,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_NAMED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class RowVerdict:
    """Whether one row touches held-out material, and by what.

    Attributes:
        task_id: the row.
        held_out_hit: it does. True exactly when there is evidence: both directions are enforced.
        matched_template_id: its template, when that is reserved.
        matched_fixture_refs: reserved rows that it was bound from or names, sorted.
        contract_version: `CONTRACT_VERSION`.

    Raises:
        HeldOutContractError: for a hit without evidence, evidence without a hit, or an entry of the wrong form.
    """

    task_id: str
    held_out_hit: bool
    matched_template_id: str | None = None
    matched_fixture_refs: tuple[str, ...] = ()
    contract_version: str = CONTRACT_VERSION

    def __post_init__(self) -> None:
        require_contract_version(self.contract_version)
        if not _is_name(self.task_id):
            raise HeldOutContractError(f"a verdict needs the id of a row, not {self.task_id!r}")
        if self.matched_template_id is not None and not _is_name(self.matched_template_id):
            raise HeldOutContractError(f"{self.task_id}: {self.matched_template_id!r} is no template id")
        refs = self.matched_fixture_refs
        for ref in refs:
            require_canonical_ref(ref)
        if list(refs) != sorted(set(refs)):
            raise HeldOutContractError(f"{self.task_id}: matched references must be sorted, each once")
        has_evidence = self.matched_template_id is not None or bool(refs)
        if self.held_out_hit is not has_evidence:
            found = "evidence, but no hit" if has_evidence else "a hit without evidence"
            raise HeldOutContractError(f"{self.task_id}: {found}")


def complete_scan(task_ids: Sequence[Any], verdicts: Iterable[RowVerdict]) -> tuple[RowVerdict, ...]:
    """Return the verdicts in the order of the rows, if there is exactly one for each.

    Args:
        task_ids: ids of all rows that had to be scanned.
        verdicts: what the scan gave, in any order.

    Raises:
        HeldOutLeakError: for a row without an id, an id that two rows have, a verdict that is missing, given twice or
            about no row.
    """
    for each in task_ids:
        require_row_id(each)
    _refuse("have the same id as another row", _repeated(task_ids))
    given = tuple(verdicts)
    _refuse("were judged twice", _repeated(each.task_id for each in given))
    by_task = {each.task_id: each for each in given}
    _refuse("were not scanned", [each for each in task_ids if each not in by_task])
    expected = set(task_ids)
    _refuse("were judged, but are no rows", [each for each in by_task if each not in expected])
    return tuple(by_task[each] for each in task_ids)


def require_row_id(task_id: Any) -> None:
    """Refuse a row that cannot be named.

    Raises:
        HeldOutLeakError: for a row without an id.
    """
    if not _is_name(task_id):
        raise HeldOutLeakError("a row that must be scanned has no id")


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and value.strip() != ""


def _repeated(ids: Iterable[str]) -> list[str]:
    return [each for each, times in Counter(ids).items() if times > 1]


def _refuse(what: str, ids: Sequence[str]) -> None:
    if ids:
        raise HeldOutLeakError(f"the scan is not complete: {first_few(ids)} {what}")


def first_few(ids: Sequence[str]) -> str:
    """Write ids for people: the first five, and how many more there are."""
    more = len(ids) - _NAMED
    return ", ".join(ids[:_NAMED]) + (f" and {more} more" if more > 0 else "")
