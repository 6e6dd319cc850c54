"""A judgement under way: assertions over one attempt's evidence, one outcome each."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from assay.oracle.evidence import Outcome
from assay.oracle.exchange import Waiting, failure_of
from assay.oracle.faults import read_fault
from assay.oracle.requests import context_facts, request

if TYPE_CHECKING:
    from assay.oracle.evidence import Failure, Judgement
    from assay.oracle.limits import Limits
    from assay.oracle.pack_frames import PackFrames
    from assay.oracle.worker_process import WorkerProcess

_LONGEST_DETAIL: Final = 10_000
"""More than a worker writes of its own accord."""
_STATUSES: Final = ("passed", "failed", "not_applicable", "infrastructure_error")


class JudgementWork:
    """One judgement as a unit of work.

    An assertion that hangs or kills its worker costs its own outcome; those after it run in the next worker. Under
    attempt 2 the last assertion runs first, so that one which leaves something behind for the next shows.

    Args:
        judgement: what to judge.
        limits: the deadlines.
        frames: reads faults of the pack's code.
    """

    needs_fresh_worker = False

    def __init__(self, judgement: Judgement, limits: Limits, frames: PackFrames) -> None:
        self._judgement = judgement
        self._names = judgement.assertions if judgement.attempt == 1 else judgement.assertions[::-1]
        self._limits = limits
        self._frames = frames
        self.begun = False
        self._outcomes: list[Outcome] = []

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """When done, one outcome for each named assertion, in declared order."""
        return tuple(self._outcomes if self._judgement.attempt == 1 else self._outcomes[::-1])

    @property
    def done(self) -> bool:
        """Whether every assertion has its outcome."""
        return len(self._outcomes) == len(self._names)

    def send(self, worker: WorkerProcess) -> bool:
        """Send the evidence once, and the names of all assertions that have no outcome yet."""
        judgement = self._judgement
        names = self._names[len(self._outcomes) :]
        evidence = json.dumps([judgement.state, judgement.trace, judgement.task]).encode()
        worker.send(request("judge", context_facts(judgement.context), judgement.turn_index, names), evidence)
        self.begun = True
        return True

    def waiting(self) -> Waiting:
        """Return which assertion is due, and its deadline."""
        limit_s = self._limits.assertion_s
        return Waiting(op="assertion", limit="assertion", limit_s=limit_s, left_s=limit_s, subject=self._due)

    def accept(self, content: Any, waited_s: float) -> None:
        """Take the outcome of the assertion that is due."""
        del waited_s
        self._outcomes.append(self._outcome(content))

    def fail(self, failure: Failure) -> None:
        """Note what came instead of an outcome; a failed import leaves none for any assertion."""
        concerned = len(self._names) - len(self._outcomes) if failure.op == "import" else 1
        for _ in range(concerned):
            self._outcomes.append(self._error(failure.message, failure))

    def rewind(self) -> None:
        """Ask the next worker for what is missing."""
        self.begun = False

    @property
    def _due(self) -> str:
        return self._names[len(self._outcomes)]

    def _outcome(self, content: Any) -> Outcome:
        """Read an outcome. A worker's words are not taken on trust."""
        facts = content if isinstance(content, dict) else {}
        status, detail = facts.get("status"), facts.get("detail")
        if status not in _STATUSES or not (detail is None or isinstance(detail, str)):
            return self._error("the worker's reply is no outcome", None)
        detail = None if detail is None else self._frames.text(detail[:_LONGEST_DETAIL])
        if "fault" not in facts:
            return Outcome(assertion=self._due, status=status, detail=detail)
        return self._raised(status, detail, facts["fault"])

    def _raised(self, status: str, detail: str | None, facts: Any) -> Outcome:
        """Read the outcome of an assertion that raised: its place, and for an error the whole story."""
        try:
            fault = read_fault(facts)
        except ValueError:
            return self._error("the worker's reply is no outcome", None)
        if status != "infrastructure_error":
            return Outcome(assertion=self._due, status=status, detail=detail, place=self._frames.place(fault))
        failure = failure_of(fault, self.waiting(), self._frames, self._limits.memory_bytes)
        return self._error(detail or failure.message, failure)

    def _error(self, detail: str, failure: Failure | None) -> Outcome:
        place = failure.place if failure is not None else None
        return Outcome(assertion=self._due, status="infrastructure_error", detail=detail, place=place, failure=failure)
