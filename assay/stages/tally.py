"""Findings over many instances, each told once.

A fault of a template shows in every one of its instances, and in both attempts. The first occurrence is kept, with the
number of tasks it was seen in and the first few of their ids in `detail`; the order is that of first occurrence.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, TypeAlias

from assay.findings import Finding

if TYPE_CHECKING:
    from collections.abc import Hashable

    from assay.values import JsonValue

MAX_TASK_IDS: Final = 5

TallyKey: TypeAlias = "tuple[Hashable, ...]"


@dataclass(slots=True)
class _Entry:
    """One kind of occurrence; `tasks` counts distinct tasks as long as those of one task are added in a row."""

    first: Finding
    root: Finding | TallyKey | None
    tasks: int = 0
    last_task: str | None = None
    task_ids: list[JsonValue] = field(default_factory=list)

    def count(self, task_id: str | None) -> None:
        if task_id is None or task_id == self.last_task:
            return
        self.tasks += 1
        self.last_task = task_id
        if len(self.task_ids) < MAX_TASK_IDS:
            self.task_ids.append(task_id)

    def told(self) -> Finding:
        """Return the finding with what was counted."""
        if self.last_task is None:
            return self.first
        others = self.tasks - 1
        more = f" (and {others} more {'task' if others == 1 else 'tasks'})" if others else ""
        detail = {**(self.first.detail or {}), "tasks": self.tasks, "task_ids": self.task_ids}
        message = self.first.message
        stop = "." if message.endswith(".") else ""
        return replace(self.first, message=message.removesuffix(".") + more + stop, detail=detail)


class FindingTally:
    """Collects findings and tells equal ones once."""

    def __init__(self) -> None:
        self._entries: dict[TallyKey, _Entry] = {}

    def add(self, finding: Finding, *, apart: Hashable = None, root: Finding | TallyKey | None = None) -> TallyKey:
        """Count an occurrence.

        Args:
            finding: the occurrence; its `task_id`, `message` and `detail` do not keep it apart from others.
            apart: what else does.
            root: what it follows from: a finding, or the key of another occurrence of this tally.

        Returns:
            The key under which it is counted.
        """
        ids = (finding.template_id, finding.slot, finding.tool, finding.case_id, finding.assertion)
        key = (finding.code, finding.severity, finding.place, ids, apart)
        entry = self._entries.setdefault(key, _Entry(finding, root))
        entry.count(finding.task_id)
        return key

    def findings(self) -> tuple[Finding, ...]:
        """Return every finding once, in order of first occurrence."""
        return tuple(self._linked(entry) for entry in self._entries.values())

    def _linked(self, entry: _Entry) -> Finding:
        if entry.root is None:
            return entry.told()
        root = entry.root if isinstance(entry.root, Finding) else self._linked(self._entries[entry.root])
        return entry.told().following(root)
