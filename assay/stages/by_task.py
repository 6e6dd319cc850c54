"""Reading two streams of records side by side, task by task.

Stages stream: no stage holds the records of a whole pack. Every stream runs through the instances in the same order and
may leave instances out, but records of one task always stand together.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable


class HasTask(Protocol):
    """A record that belongs to one instance."""

    @property
    def task_id(self) -> str:
        """The instance."""


Record = TypeVar("Record", bound=HasTask)


class TaskReader(Generic[Record]):
    """Hands out the records of one stream for one task after the other."""

    def __init__(self, records: Iterable[Record]) -> None:
        self._groups = groupby(records, key=lambda record: record.task_id)
        self._waiting: tuple[str, tuple[Record, ...]] | None = None

    def take(self, task_id: str) -> tuple[Record, ...]:
        """Return the records of a task; empty when the stream goes on with a later one.

        Tasks must be asked for in the order of the stream. A task that is never asked for blocks all later ones.
        """
        if self._waiting is None:
            self._waiting = next(((task, tuple(records)) for task, records in self._groups), None)
        if self._waiting is None or self._waiting[0] != task_id:
            return ()
        _, records = self._waiting
        self._waiting = None
        return records

    def seek(self, task_id: str) -> tuple[Record, ...]:
        """Return the records of a task, passing over those of tasks before it.

        Raises:
            LookupError: when the stream ends without that task.
        """
        for task, records in self._groups:
            if task == task_id:
                return tuple(records)
        raise LookupError(f"no record of task {task_id}")
