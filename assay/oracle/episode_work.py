"""An episode under way: what was sent, what came back, how it ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.oracle.evidence import CallTool, Evidence, FailureKind, GetState, Reset, StopEpisode
from assay.oracle.exchange import Waiting
from assay.oracle.requests import context_facts, request

if TYPE_CHECKING:
    from assay.oracle.evidence import Episode, Failure, Step
    from assay.oracle.limits import Limits
    from assay.oracle.worker_process import WorkerProcess
    from assay.values import JsonValue


class EpisodeWork:
    """One episode as a unit of work.

    An episode that does not begin with a reset gets a worker that has served nobody, so that it meets the backend as
    its import left it.

    Args:
        episode: what to run.
        limits: the deadlines.
    """

    def __init__(self, episode: Episode, limits: Limits) -> None:
        self._episode = episode
        self._limits = limits
        self.needs_fresh_worker = not (episode.steps and isinstance(episode.steps[0], Reset))
        self.begun = False
        self._results: list[JsonValue] = []
        self._arguments: list[JsonValue] = []
        self._waited_s = 0.0
        self._failure: Failure | None = None
        self._stopped: StopEpisode | None = None

    @property
    def done(self) -> bool:
        """Whether the episode has come to its end."""
        ended_early = self._failure is not None or self._stopped is not None
        return ended_early or len(self._results) == len(self._episode.steps)

    def send(self, worker: WorkerProcess) -> bool:
        """Send the steps that can be prepared already, and say whether those are all."""
        if not self.begun:
            if self._episode.wanted is not None and not self._episode.wanted():
                self._stopped = StopEpisode("not wanted any more")
                return True
            self.begun = True
            worker.send(request("episode", context_facts(self._episode.context)))
        while len(self._arguments) < len(self._episode.steps):
            prepared = self._prepare(self._episode.steps[len(self._arguments)])
            if prepared is None:
                return False
            worker.send(prepared)
        return True

    def waiting(self) -> Waiting:
        """Return which step is due, and the deadline that will fire first for it."""
        index = len(self._results)
        step = self._episode.steps[index]
        op, limit, limit_s = self._operation(step)
        left_s = max(self._limits.episode_s - self._waited_s, 0.0)
        if left_s < limit_s:
            limit, limit_s = "episode", self._limits.episode_s
        return Waiting(
            op=op,
            limit=limit,
            limit_s=limit_s,
            left_s=min(left_s, limit_s),
            step=index,
            subject=step.name if isinstance(step, CallTool) else None,
        )

    def accept(self, content: Any, waited_s: float) -> None:
        """Take the answer to the step that is due."""
        if isinstance(self._episode.steps[len(self._results)], Reset):
            self._waited_s = 0.0
        self._results.append(content)
        self._waited_s += waited_s

    def fail(self, failure: Failure) -> None:
        """End the episode."""
        self._failure = failure

    def rewind(self) -> None:
        """Begin anew."""
        self.begun = False
        self._results.clear()
        self._arguments.clear()
        self._waited_s = 0.0

    def evidence(self) -> Evidence:
        """Return what came of it."""
        attempted = len(self._results) + (self._failure is not None and self._failure.step is not None)
        return Evidence(
            results=tuple(self._results),
            arguments=tuple(self._arguments[:attempted]),
            failure=self._failure,
            stopped=self._stopped,
        )

    def _prepare(self, step: Step) -> bytes | None:
        """Return the request for the next step to send; None when it has to wait, or never goes out."""
        if not isinstance(step, CallTool):
            self._arguments.append(None)
            return request("reset" if isinstance(step, Reset) else "get_state")
        answered = len(self._results) == len(self._arguments)
        if callable(step.arguments):
            if not answered:
                return None
            try:
                arguments: JsonValue = step.arguments(self._call_results())
            except StopEpisode as stop:
                self._stopped = stop
                return None
        else:
            arguments = step.arguments
        call = request("call_tool", step.name, arguments, step.turn_index)
        if len(call) <= self._limits.frame_bytes:
            self._arguments.append(arguments)
            return call
        if answered:
            self._failure = self._too_large(len(call))
            self._arguments.append(arguments)
        return None

    def _call_results(self) -> list[JsonValue]:
        """Return the results of the calls so far."""
        pairs = zip(self._episode.steps, self._results, strict=False)
        return [result for step, result in pairs if isinstance(step, CallTool)]

    def _too_large(self, length: int) -> Failure:
        waiting = self.waiting()
        message = (
            f"the arguments of {waiting.title} take {length} bytes as JSON; the limit is {self._limits.frame_bytes}"
        )
        return waiting.failure(FailureKind.TOO_LARGE, message)

    def _operation(self, step: Step) -> tuple[str, str, float]:
        """Return a step's name and its own limit."""
        if isinstance(step, Reset):
            return "reset", "reset", self._limits.reset_s
        return ("get_state" if isinstance(step, GetState) else "call_tool"), "tool", self._limits.tool_s
