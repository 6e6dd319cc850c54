"""One answer from a worker, or the failure that came instead of it.

This is the one place where what can go wrong with a worker becomes a `Failure`: a deadline, a death, a reply that is
none, an exception of pack code, a value that cannot be sent.
"""

from __future__ import annotations

import signal
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from assay.oracle.answers import OversizedAnswer, read_answer
from assay.oracle.channel import BadReply, ChannelClosed
from assay.oracle.evidence import Failure, FailureKind
from assay.oracle.faults import Fault, read_fault
from assay.oracle.operations import operation_title
from assay.oracle.worker.protocol import ANSWER, CHANNEL_LOST, FAULT
from assay.values import storable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.oracle.channel import Reply
    from assay.oracle.faults import Frame
    from assay.oracle.pack_frames import PackFrames
    from assay.oracle.worker_process import WorkerProcess


class StepFailed(Exception):
    """A worker did not give an answer. It is in doubt and has been ended."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """What is being waited for, and how long.

    Attributes:
        op: as in `Failure`.
        limit: name of the limit that will fire: `import`, `reset`, `tool`, `assertion` or `episode`.
        limit_s: that limit as configured.
        left_s: how much of it is left.
        step: index of the step within its episode.
        subject: what is called, for messages: the name of a tool, an assertion, a file.
    """

    op: str
    limit: str
    limit_s: float
    left_s: float
    step: int | None = None
    subject: str | None = None

    @property
    def title(self) -> str:
        """The operation and its subject, in words."""
        return operation_title(self.op, self.subject)

    def failure(self, kind: FailureKind, message: str, **facts: Any) -> Failure:
        """Return a failure of this step."""
        return Failure(kind=kind, op=self.op, message=storable(message), step=self.step, **facts)


def answer(worker: WorkerProcess, waiting: Waiting, frames: PackFrames) -> Any:
    """Return a worker's next answer as a JSON value.

    Raises:
        StepFailed: when there is none; the worker has been ended.
    """
    try:
        reply = worker.receive(waiting.left_s)
        if reply is None:
            _timed_out(worker, waiting, frames)
        return _content(reply, waiting, worker, frames)
    except ChannelClosed:
        _gone(worker, waiting, frames)
    except OversizedAnswer as problem:
        _end(worker, waiting.failure(FailureKind.TOO_LARGE, f"what came back {problem}"))
    except (BadReply, ValueError, RecursionError):
        message = f"what came back during {waiting.title} is not a reply of the worker: pack code wrote to its channel"
        _end(worker, waiting.failure(FailureKind.BAD_REPLY, message))


def failure_of(fault: Fault, waiting: Waiting, frames: PackFrames, memory_bytes: int) -> Failure:
    """Return the failure that an exception of pack code, or a value that cannot be sent, amounts to."""
    message = frames.message(fault)
    if fault.type == "MemoryError":
        message = f"{message} (a worker has {memory_bytes // 1024**2} MiB)"
    return waiting.failure(fault.kind, message, place=frames.place(fault), traceback=frames.traceback(fault))


def _content(reply: Reply, waiting: Waiting, worker: WorkerProcess, frames: PackFrames) -> Any:
    content = read_answer(reply.body)
    if reply.kind == ANSWER:
        return content
    if reply.kind != FAULT:
        raise BadReply
    fault = read_fault(content)
    _end(worker, failure_of(fault, waiting, frames, worker.assignment.limits.memory_bytes))


def _timed_out(worker: WorkerProcess, waiting: Waiting, frames: PackFrames) -> NoReturn:
    worker.ask_for_stack()
    worker.end()
    message = f"{waiting.title} was still running when the {waiting.limit} limit of {waiting.limit_s:g} s was reached"
    limit = {"limit": waiting.limit, "limit_s": waiting.limit_s}
    raise StepFailed(waiting.failure(FailureKind.TIMEOUT, message, **limit, **_located(worker.stack, frames)))


def _gone(worker: WorkerProcess, waiting: Waiting, frames: PackFrames) -> NoReturn:
    """Tell a worker that ended from one whose channel alone is gone."""
    ended = worker.ends_by_itself()
    exit_code = worker.end()
    if not ended or exit_code == CHANNEL_LOST:
        message = f"pack code closed the channel of its worker during {waiting.title}"
        raise StepFailed(waiting.failure(FailureKind.BAD_REPLY, message))
    message = f"the worker ended during {waiting.title}: {_how(exit_code, worker.assignment.limits.cpu_s)}"
    located = _located(worker.stack, frames)
    raise StepFailed(waiting.failure(FailureKind.DIED, message, exit_code=exit_code, **located))


def _end(worker: WorkerProcess, failure: Failure) -> NoReturn:
    worker.end()
    raise StepFailed(failure)


def _located(stack: Sequence[Frame], frames: PackFrames) -> dict[str, Any]:
    return {"place": frames.innermost(stack), "traceback": frames.stack(stack)}


def _how(exit_code: int, cpu_s: int) -> str:
    """Say in words how a process ended, naming the limit that ended it where that shows."""
    if exit_code >= 0:
        return f"it exited with code {exit_code}"
    if -exit_code == signal.SIGXCPU:
        return f"it had used up the limit of {cpu_s} s of processor time"
    name = _signal_name(-exit_code)
    hint = ", as the system does when memory runs out" if -exit_code == signal.SIGKILL else ""
    return f"it was killed by {name}{hint}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
