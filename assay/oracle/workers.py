"""The workers of one engine: started when needed, handed out, taken back.

An import that failed is remembered: a module that cannot be imported, or takes for ever to, costs one attempt and not
one for each episode. Nothing is remembered beyond the engine's life.

Several threads may take workers at once; a worker belongs to one of them at a time.
"""

from __future__ import annotations

import time
from collections import defaultdict, deque
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from assay.oracle.channel import BadReply, ChannelClosed
from assay.oracle.distributions import read_files
from assay.oracle.engine import EngineUnavailable
from assay.oracle.exchange import StepFailed, Waiting, answer, read_json
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
    """Starts workers and keeps those that are idle.

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
        self._idle: defaultdict[Assignment, list[WorkerProcess]] = defaultdict(list)
        self._running: set[WorkerProcess] = set()
        self._failed_imports: dict[Assignment, Failure] = {}
        self.protections: dict[str, Any] | None = None
        self.printed: deque[tuple[str, Printed]] = deque(maxlen=_OUTPUTS_KEPT)

    def take(self, assignment: Assignment, *, fresh: bool = False) -> WorkerProcess:
        """Return a worker whose module is imported: an idle one, or a new one.

        Args:
            assignment: what it is needed for.
            fresh: only one that has not served anybody yet.

        Raises:
            StepFailed: when the module cannot be imported.
            EngineUnavailable: when a worker cannot be started.
        """
        if not fresh:
            with suppress(IndexError):
                return self._idle[assignment].pop()
        return self._start(assignment)

    def give_back(self, worker: WorkerProcess) -> None:
        """Keep a worker that is not in doubt for the next one who needs its like."""
        self._idle[worker.assignment].append(worker)

    def end(self, worker: WorkerProcess) -> None:
        """End a worker that nobody needs any more."""
        worker.end()
        self._running.discard(worker)

    def close(self) -> None:
        """End all workers, those in use as well. Safe to call twice."""
        for worker in list(self._running):
            worker.end()
        self._running.clear()
        self._idle.clear()

    def _start(self, assignment: Assignment) -> WorkerProcess:
        if assignment in self._failed_imports:
            raise StepFailed(self._failed_imports[assignment])
        begun = time.monotonic()
        try:
            worker = WorkerProcess(assignment, self._scratch)
        except OSError as problem:
            raise EngineUnavailable(f"a worker process cannot be started: {problem.strerror}") from problem
        self._running -= {each for each in list(self._running) if each.ended}
        self._running.add(worker)
        self.printed.append((assignment.role, worker.printed))
        limit_s = assignment.limits.import_s
        self._await_start(worker, limit_s)
        self._await_import(worker, limit_s, limit_s - (time.monotonic() - begun))
        return worker

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
