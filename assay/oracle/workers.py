"""The workers of one engine: started when needed, and ended.

A worker is never handed on from one piece of work to another, so that what a module kept in mind comes from the work at
hand alone, and not from what an engine happened to do before. One that was only asked what it offers may begin work.

An import that failed is remembered: a module that cannot be imported, or takes for ever to, costs one attempt and not
one for each episode. Nothing is remembered beyond the engine's life.

Several threads may start workers at once; a worker belongs to one of them.
"""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING, Any, Final

from assay.oracle.answers import read_json
from assay.oracle.channel import BadReply, ChannelClosed
from assay.oracle.distributions import read_files
from assay.oracle.engine import EngineUnavailable
from assay.oracle.exchange import StepFailed, Waiting, answer
from assay.oracle.faults import read_fault
from assay.oracle.isolation import weaker
from assay.oracle.worker.protocol import SETUP_FAILED, STARTED
from assay.oracle.worker_process import WorkerProcess

if TYPE_CHECKING:
    from assay.oracle.channel import Printed, Reply
    from assay.oracle.evidence import Failure
    from assay.oracle.pack_frames import PackFrames
    from assay.oracle.scratch import Scratch
    from assay.oracle.spec import Assignment

_OUTPUTS_KEPT: Final = 50


class Workers:
    """Starts workers, and ends them all when it is closed.

    Args:
        scratch: makes their folders.
        frames: reads faults of the pack's code.

    Attributes:
        protections: what all workers so far have in force, None before the first.
        printed: role and printed text of the latest workers.
    """

    def __init__(self, scratch: Scratch, frames: PackFrames) -> None:
        self._scratch = scratch
        self._frames = frames
        self._running: set[WorkerProcess] = set()
        self._set_aside: dict[Assignment, WorkerProcess] = {}
        self._failed_imports: dict[Assignment, Failure] = {}
        self._stopped = False
        self.protections: dict[str, Any] | None = None
        self.printed: deque[tuple[str, Printed]] = deque(maxlen=_OUTPUTS_KEPT)

    def take(self, assignment: Assignment) -> WorkerProcess:
        """Start a worker and wait until its module is imported.

        Raises:
            StepFailed: when the module cannot be imported.
            EngineUnavailable: when a worker cannot be started.
        """
        worker = self.begin(assignment)
        self.await_ready(worker)
        return worker

    def begin(self, assignment: Assignment) -> WorkerProcess:
        """Start a worker without waiting for it, or take one that was set aside. Work may be sent to it at once.

        Raises:
            StepFailed: when its module is known not to be importable.
            EngineUnavailable: when a worker cannot be started.
        """
        if assignment in self._failed_imports:
            raise StepFailed(self._failed_imports[assignment])
        if (known := self._set_aside.pop(assignment, None)) is not None:
            return known
        try:
            worker = WorkerProcess(assignment, self._scratch)
        except OSError as problem:
            raise EngineUnavailable(f"a worker process cannot be started: {problem.strerror}") from problem
        self._running -= {each for each in list(self._running) if each.ended}
        self._running.add(worker)
        self._require_not_stopped(worker)
        self.printed.append((assignment.role, worker.printed))
        return worker

    def await_ready(self, worker: WorkerProcess) -> None:
        """Wait until a worker is confined and has imported its module.

        Raises:
            StepFailed: when the module cannot be imported; the worker has been ended.
            EngineUnavailable: when the worker could not be set up.
        """
        if worker.ready:
            return
        limit_s = worker.assignment.limits.import_s
        begun = time.monotonic()
        self._await_start(worker, limit_s)
        self._await_import(worker, limit_s, limit_s - (time.monotonic() - begun))
        worker.ready = True

    def set_aside(self, worker: WorkerProcess) -> None:
        """Keep a worker that has done no work yet for the next one who needs its like."""
        if self._set_aside.setdefault(worker.assignment, worker) is not worker:
            self.end(worker)

    def end(self, worker: WorkerProcess) -> None:
        """End a worker that nobody needs any more."""
        worker.end()
        self._running.discard(worker)

    def stop(self) -> None:
        """Kill all workers from another thread, and start no more. Whoever uses one finds that it has died."""
        self._stopped = True
        for worker in list(self._running):
            worker.kill()

    def _require_not_stopped(self, worker: WorkerProcess) -> None:
        """Undo the start of a worker that `stop` may have come too early to see."""
        if self._stopped:
            self.end(worker)
            raise EngineUnavailable("the engine was stopped")

    def close(self) -> None:
        """End all workers, those in use as well. Safe to call twice."""
        for worker in list(self._running):
            worker.end()
        self._running.clear()
        self._set_aside.clear()

    def _await_start(self, worker: WorkerProcess, limit_s: float) -> None:
        """Wait until the worker is confined. What goes wrong here is no fault of the pack."""
        try:
            reply = worker.receive(limit_s)
        except (ChannelClosed, BadReply):
            code = worker.end()
            raise EngineUnavailable(f"a worker process ended while it was set up (exit code {code})") from None
        if reply is None or reply.kind != STARTED:
            worker.end()
            raise EngineUnavailable(f"a worker process could not be set up: {self._reason(reply, limit_s)}")
        protections = read_json(reply.body)
        worker.may_have_children = protections["new_processes"] != "refused"
        self.protections = protections if self.protections is None else weaker(self.protections, protections)

    def _reason(self, reply: Reply | None, limit_s: float) -> str:
        if reply is None:
            return f"it was not ready within {limit_s:g} s"
        if reply.kind != SETUP_FAILED:
            return "its first reply is not the expected one"
        return self._frames.message(read_fault(read_json(reply.body)))

    def _await_import(self, worker: WorkerProcess, limit_s: float, left_s: float) -> None:
        file = worker.assignment.file
        waiting = Waiting(op="import", limit="import", limit_s=limit_s, left_s=left_s, subject=file)
        try:
            worker.installed_files = read_files(answer(worker, waiting, self._frames))
        except StepFailed as stop:
            self._failed_imports[worker.assignment] = stop.failure
            raise
