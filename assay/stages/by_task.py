"""Reading streams of records side by side, task by task.

Stages stream: no stage holds the records of a whole pack. Every stream runs through the instances in the same order and
may leave instances out, but records of one task always stand together.
"""

from __future__ import annotations

from itertools import tee
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class HasTask(Protocol):
    """A record that belongs to one instance."""

    @property
    def task_id(self) -> str:
        """The instance."""


Record = TypeVar("Record", bound=HasTask)
Other = TypeVar("Other", bound=HasTask)


class TaskReader(Generic[Record]):
    """Hands out the records of one stream for one task after the other."""

    def __init__(self, records: Iterable[Record]) -> None:
        self._records = iter(records)
        self._ahead: Record | None = None

    def take(self, task_id: str) -> tuple[Record, ...]:
        """Return the records of a task; empty when the stream goes on with a later one.

        Tasks must be asked for in the order of the stream. A task that is never asked for blocks all later ones.
        """
        return tuple(iter(lambda: self.take_one(task_id), None))

    def take_one(self, task_id: str) -> Record | None:
        """Return the next record if it is of that task, else None; see `take`."""
        record = self._look_ahead()
        if record is None or record.task_id != task_id:
            return None
        self._ahead = None
        return record

    def seek(self, task_id: str) -> tuple[Record, ...]:
        """Return the records of a task, passing over those of tasks before it.

        Raises:
            LookupError: when the stream ends without that task.
        """
        while (record := self._look_ahead()) is not None:
            if record.task_id == task_id:
                return self.take(task_id)
            self._ahead = None
        raise LookupError(f"no record of task {task_id}")

    def rest(self) -> Iterator[Record]:
        """Yield the records that nobody took."""
        while (record := self._look_ahead()) is not None:
            self._ahead = None
            yield record

    def _look_ahead(self) -> Record | None:
        if self._ahead is None:
            self._ahead = next(self._records, None)
        return self._ahead


def pair_up(records: Iterable[Record], others: Iterable[Other]) -> Iterator[tuple[Record, Other]]:
    """Join two streams of one record a task, the second of which leaves tasks out; those are left out of the pairs."""
    reader = TaskReader(others)
    for record in records:
        other = reader.take_one(record.task_id)
        if other is not None:
            yield record, other


def each_once(records: Iterable[Record]) -> Iterator[Record]:
    """Leave out what would make a task follow itself: of instances with the same id one is proven."""
    latest: str | None = None
    for record in records:
        if record.task_id != latest:
            yield record
        latest = record.task_id


def unzipped(rows: Iterable[tuple[Any, ...]], width: int) -> tuple[Iterator[Any], ...]:
    """Return one stream for each place of a stream of tuples.

    What one of them has read and another has not is held, so they should be read in step.
    """
    return tuple(map(itemgetter(place), stream) for place, stream in enumerate(tee(rows, width)))
