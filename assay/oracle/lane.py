"""A lane: one worker after another, and a queue of work that is sent ahead of its answers.

Work is sent as far as it can be (requests of many episodes travel in one write) while answers come back one by one, in
order, each with its own deadline. When the unit at the front loses its worker, what was sent ahead was never begun and
is sent again to the next worker: one bad episode never costs another its evidence.

A deadline counts the time that we wait for an answer, not the time that our own process spends elsewhere.
"""

from __future__ import annotations

import time
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TypeVar

from assay.oracle.exchange import StepFailed, Waiting, answer

if TYPE_CHECKING:
    from assay.oracle.evidence import Failure
    from assay.oracle.pack_frames import PackFrames
    from assay.oracle.spec import Assignment
    from assay.oracle.worker_process import WorkerProcess
    from assay.oracle.workers import Workers

AHEAD: Final = 64
"""How many units of work a lane takes before the first of them have to be taken off."""
_REFILLED_AT: Final = AHEAD // 2
"""A full lane takes work again when so few are left: requests of many units go out in one write."""
_UNITS_PER_WORKER: Final = 1000
"""A worker is replaced after so many, so that a module that leaks memory cannot starve later work."""


class Work(Protocol):
    """A unit of work whose steps a worker answers one by one."""

    @property
    def needs_fresh_worker(self) -> bool:
        """Whether no other work may have run in its worker before."""

    @property
    def begun(self) -> bool:
        """Whether any of it has been sent to the worker at hand."""

    @property
    def done(self) -> bool:
        """Whether it has come to its end, good or bad."""

    def send(self, worker: WorkerProcess) -> bool:
        """Send what can be sent and say whether that is all of it."""

    def waiting(self) -> Waiting:
        """Return what the next answer is for, and its deadline."""

    def accept(self, content: Any, waited_s: float) -> None:
        """Take the next answer."""

    def fail(self, failure: Failure) -> None:
        """Take what came instead of an answer."""

    def rewind(self) -> None:
        """Forget what was sent: its worker is gone. What was answered stays only if the rest can go on without it."""


W = TypeVar("W", bound=Work)


class Lane(Generic[W]):
    """Runs work of one kind, in order. Its first worker is started at once, and not waited for.

    Args:
        workers: where workers come from.
        assignment: what kind of worker the work needs.
        frames: reads faults of the pack's code.

    Attributes:
        has_room: whether more work may be added.
    """

    def __init__(self, workers: Workers, assignment: Assignment, frames: PackFrames) -> None:
        self._workers = workers
        self._assignment = assignment
        self._frames = frames
        self._queue: deque[W] = deque()
        self._unsent: deque[W] = deque()
        self._worker: WorkerProcess | None = None
        self.has_room: bool = True
        with suppress(StepFailed):  # an import that is known to fail is told with the work that it concerns
            self._worker = workers.begin(assignment)

    @property
    def is_empty(self) -> bool:
        """Whether no work is left."""
        return not self._queue

    def add(self, work: W) -> None:
        """Put work at the end of the queue."""
        self._queue.append(work)
        self._unsent.append(work)
        self.has_room = self.has_room and len(self._queue) < AHEAD

    def push(self) -> None:
        """Send what may be sent already, as far as there is room and without waiting."""
        if self._unsent and self._worker is not None:
            self._send_ahead(self._worker)
            self._worker.push()

    def next(self) -> W:
        """Bring the work at the front to its end and take it off the queue."""
        front = self._queue[0]
        while not front.done:
            self._advance(front)
        self._queue.popleft()
        if self._unsent and self._unsent[0] is front:
            self._unsent.popleft()
        self.has_room = self.has_room or len(self._queue) <= _REFILLED_AT
        return front

    def close(self) -> None:
        """End the worker, whether or not answers are still due."""
        self._end_worker()
        self._queue.clear()
        self._unsent.clear()

    def _advance(self, front: W) -> None:
        """Wait for one answer to the work at the front."""
        try:
            worker = self._worker_for(front)
            self._send_ahead(worker)
            if front.done:
                return
            self._workers.await_ready(worker)
            started = time.monotonic()
            content = answer(worker, front.waiting(), self._frames)
        except StepFailed as stop:
            self._lose_worker(front, stop.failure)
        else:
            front.accept(content, time.monotonic() - started)

    def _worker_for(self, front: W) -> WorkerProcess:
        """Return the worker for the work at the front. When that has not begun, nothing else is under way either."""
        if self._worker is not None and not front.begun and not _may_begin(front, self._worker):
            self._end_worker()
        self._worker = self._worker or self._workers.begin(self._assignment)
        return self._worker

    def _send_ahead(self, worker: WorkerProcess) -> None:
        while self._unsent:
            work = self._unsent[0]
            if not work.begun:
                if not _may_begin(work, worker):
                    return
                worker.assigned += 1
            if not work.send(worker):
                return
            self._unsent.popleft()

    def _lose_worker(self, front: W, failure: Failure) -> None:
        front.fail(failure)
        self._end_worker()
        for work in self._queue:
            if not work.done:
                work.rewind()
        self._unsent = deque(work for work in self._queue if not work.done)

    def _end_worker(self) -> None:
        if self._worker is not None:
            self._workers.end(self._worker)
            self._worker = None


def _may_begin(work: Work, worker: WorkerProcess) -> bool:
    return worker.assigned == 0 if work.needs_fresh_worker else worker.assigned < _UNITS_PER_WORKER
