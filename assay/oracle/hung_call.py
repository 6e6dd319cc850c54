"""Check T1: a hung call is killed in time, with the process that it started (ruling 39).

A shipped oracle hangs in a tool call, after it has started a child that left its process group. Proven is that the call
ended by its own deadline, not by that of the import or the episode; that it was under way, because its child had been
started; and that afterwards neither of the two is alive.

The call may hang for a short while only, because somebody waits for the verdict: this is over before the other probes
are. A busy machine may be too slow for that, which is no fault; so what came too late is tried once more, with time
enough.
"""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from assay.oracle import interpreter, process_family
from assay.oracle.conditions import FIRST
from assay.oracle.evidence import EpisodeContext, Failure, FailureKind
from assay.oracle.exchange import StepFailed, Waiting, answer
from assay.oracle.pack_frames import PackFrames
from assay.oracle.requests import context_facts, request
from assay.oracle.spec import Assignment
from assay.oracle.workers import Workers

if TYPE_CHECKING:
    from assay.oracle.scratch import Scratch
    from assay.oracle.spec import OracleSpec
    from assay.oracle.worker_process import WorkerProcess

_TOOL: Final = "sleep_forever"
_TOOL_S: Final = 0.05
_PATIENT_TOOL_S: Final = 1.0
_BUDGET: Final = 4
"""How many times its limit a hung call may take to end."""
_TOO_SLOW: Final = frozenset({"start_child", "budget"})
"""Steps that fail on a machine that is merely busy."""
_LAST_CHECK_S: Final = 1.0
_SHIPPED: Final = Path(__file__).resolve().with_name("hung_oracle")


def kill_hung_call(spec: OracleSpec, scratch: Scratch) -> Failure | None:
    """Run the shipped oracle and kill it; see `Engine.kill_hung_call`.

    Returns:
        None when all went well. Otherwise what went wrong: `op` is `call_tool` when the call came back or something
        survived its end, `budget` when it was ended too late, `import` or `start_child` when it could not be probed.

    Raises:
        EngineUnavailable: when a worker cannot be started.
    """
    failure = _probe(spec, scratch, _TOOL_S)
    if failure is not None and failure.op in _TOO_SLOW:
        failure = _probe(spec, scratch, _PATIENT_TOOL_S)
    return failure


def _probe(spec: OracleSpec, scratch: Scratch, limit_s: float) -> Failure | None:
    frames = PackFrames(_SHIPPED, interpreter.known_places())
    workers = Workers(scratch, frames)
    try:
        worker = workers.take(_assignment(spec))
        return _hang_and_kill(worker, frames, spec.clock, limit_s)
    except StepFailed as stop:
        return stop.failure
    finally:
        workers.close()


def _assignment(spec: OracleSpec) -> Assignment:
    return Assignment(
        role="backend",
        root=_SHIPPED,
        file="backend.py",
        fixtures="null",
        conditions=FIRST,
        limits=spec.limits,
        confinement=replace(spec.confinement, processes=True),
    )


def _hang_and_kill(worker: WorkerProcess, frames: PackFrames, clock: str, limit_s: float) -> Failure | None:
    context = EpisodeContext(clock=clock, seed=0, timeout_s=limit_s, task_id="t1:timeout_wiring")
    worker.send(request("episode", context_facts(context)), request("call_tool", _TOOL, {}, 0))
    waiting = Waiting(op="call_tool", limit="tool", limit_s=limit_s, left_s=limit_s, subject=_TOOL)
    started = time.monotonic()
    try:
        answer(worker, waiting, frames)
    except StepFailed as stop:
        if stop.failure.kind is not FailureKind.TIMEOUT:
            return replace(stop.failure, op="start_child")
    else:
        return waiting.failure(FailureKind.BAD_REPLY, "the call that never returns came back")
    if time.monotonic() - started > _BUDGET * limit_s:
        message = f"ending a hung call took longer than {_BUDGET * limit_s:g} s"
        return replace(waiting, op="budget").failure(FailureKind.TIMEOUT, message, limit="tool", limit_s=limit_s)
    return _survivor(worker, waiting)


def _survivor(worker: WorkerProcess, waiting: Waiting) -> Failure | None:
    """Check that the child is gone, too. The hung process itself has been waited for."""
    printed = worker.printed.text.strip()
    if not printed.isdigit():
        message = "the hung call could not start a child, so its end could not be proven"
        return replace(waiting, op="start_child").failure(FailureKind.BAD_REPLY, message)
    deadline = time.monotonic() + _LAST_CHECK_S
    while process_family.is_alive(int(printed)):
        if time.monotonic() > deadline:
            return waiting.failure(FailureKind.BAD_REPLY, "a process that the hung call had started survived it")
        time.sleep(0.01)
    return None
