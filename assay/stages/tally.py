"""Findings over many instances, each told once.

A fault of a template shows in every one of its instances, and in both attempts. The first occurrence is kept, with the
number of tasks it was seen in and the first few of their ids in `detail`; the order is that of first occurrence.

What is kept does not grow with the number of instances: of one code in one file `MAX_LISTED` findings are told apart,
and what differs from all of these (a message with a random number in it, say) is only counted.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, TypeAlias

from assay.findings import Finding
from assay.pack.bounds import MAX_LISTED
from assay.pack.collector import further_findings

if TYPE_CHECKING:
    from collections.abc import Hashable

    from assay.values import JsonValue

MAX_TASK_IDS: Final = 5
MOST_REMEMBERED: Final = 10_000
"""So many findings that are not kept are known again, to be counted once; beyond, every occurrence counts."""

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
        self._kinds: Counter[tuple[str, str]] = Counter()
        self._beyond: set[TallyKey] = set()

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
        entry = self._entries.get(key)
        if entry is None and self._has_room(finding, key):
            entry = self._entries[key] = _Entry(finding, root)
        if entry is not None:
            entry.count(finding.task_id)
        return key

    def _has_room(self, finding: Finding, key: TallyKey) -> bool:
        """Count a finding unlike those that are kept, and say whether it is to be kept."""
        if key in self._beyond:
            return False
        kind = (finding.code, "" if finding.place is None else finding.place.file)
        self._kinds[kind] += 1
        if self._kinds[kind] <= MAX_LISTED:
            return True
        if len(self._beyond) < MOST_REMEMBERED:
            self._beyond.add(key)
        return False

    def findings(self) -> tuple[Finding, ...]:
        """Return every finding once, in order of first occurrence, and a remark about those that were only counted."""
        return (*map(self._linked, self._entries.values()), *further_findings(self._kinds))

    def _linked(self, entry: _Entry) -> Finding:
        root = entry.root
        if root is not None and not isinstance(root, Finding):
            kept = self._entries.get(root)
            root = None if kept is None else self._linked(kept)
        return entry.told() if root is None else entry.told().following(root)
