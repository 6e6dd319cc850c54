"""Stage `replay`: every instance with valid calls is executed twice.

One attempt is one episode: reset, state, the expected calls in order, state. Both attempts have the same context,
arguments and fixtures; the engine varies what an oracle must not depend on (ruling 29). Records stream: nothing here
holds more than the instances under way.

The second attempt at a template's first task is *rehearsed*: the same life runs just before it, and is thrown away. So
what a tool leaves behind shows also where no other task calls it.

What the records say about the pack is read off them by `assay.stages.replay_review`.

Source: `reference/trace-replay.md` 4.1.
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from itertools import tee
from typing import TYPE_CHECKING, Final

from assay.oracle.evidence import CallTool, Episode, Evidence, GetState, Reset
from assay.stages.context import episode_context
from assay.stages.patience import Patience
from assay.stages.records import Replay, ReplayedCall
from assay.stages.results import call_failed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from assay.config import RunConfig
    from assay.oracle.engine import Engine
    from assay.pack.model import Pack
    from assay.stages.records import ExpectedTrace, SchemaCheck, TaskInstance

_STATE_BEFORE: Final = 1
_FIRST_CALL: Final = 2


def replay_traces(
    pack: Pack,
    instances: Iterable[TaskInstance],
    traces: Iterable[ExpectedTrace],
    checks: Iterable[SchemaCheck],
    engine: Engine,
    config: RunConfig,
) -> Iterator[Replay]:
    """Execute every instance whose calls passed the schema check, twice.

    Args:
        pack: the loaded pack.
        instances: with `traces` and `checks`: one record per instance each, in the same order.
        traces: see `instances`.
        checks: see `instances`.
        engine: runs the backend.
        config: the run config.

    Yields:
        Attempt 1 and attempt 2 of each instance, in the order of the instances; nothing for a pack without a usable
        backend, or whose fixtures are unusable.
    """
    if not pack.has_usable("backend") or "fixtures" in pack.unusable:
        return
    run = _Run(pack, config, engine)
    valid = (
        (instance, trace)
        for instance, trace, check in zip(instances, traces, checks, strict=True)
        if check.valid and trace.derived
    )
    for second in engine.run(run.second_episodes(valid), attempt=2):
        yield from run.both(second)


class _Run:
    """Both attempts under way. The second follows the first, so that it need not hang where the first has hung."""

    def __init__(self, pack: Pack, config: RunConfig, engine: Engine) -> None:
        self._pack = pack
        self._config = config
        self._engine = engine
        self._patience = Patience()
        self._rehearsed: set[str] = set()
        self._executed_once: deque[tuple[ExpectedTrace, Evidence]] = deque()

    def second_episodes(self, tasks: Iterable[tuple[TaskInstance, ExpectedTrace]]) -> Iterator[Episode]:
        """Execute each task once and yield the episode that executes it again."""
        asked, ahead = tee(tasks)
        evidence = self._engine.run((self._episode(*task) for task in ahead), attempt=1)
        for (instance, trace), first in zip(asked, evidence, strict=True):
            self._patience.note(trace.template_id, first.failure)
            self._executed_once.append((trace, first))
            episode = self._episode(instance, trace)
            if first.completed and trace.template_id not in self._rehearsed:
                self._rehearsed.add(trace.template_id)
                episode = replace(episode, steps=episode.steps * 2)
            yield episode

    def both(self, second: Evidence) -> Iterator[Replay]:
        """Yield both attempts at the task that has waited longest for its second one."""
        trace, first = self._executed_once.popleft()
        second = last_life(second, _FIRST_CALL + len(trace.calls) + 1)
        self._patience.note(trace.template_id, second.failure)
        yield self._replayed(trace, 1, first)
        yield self._replayed(trace, 2, second)

    def _episode(self, instance: TaskInstance, trace: ExpectedTrace) -> Episode:
        episode = replay_episode(self._pack, self._config, instance, trace)
        return replace(episode, wanted=lambda: not self._patience.is_spent(instance.template_id))

    def _replayed(self, trace: ExpectedTrace, attempt: int, evidence: Evidence) -> Replay:
        if evidence.stopped is not None:
            evidence = Evidence(results=(), failure=self._patience.failure(trace.template_id))
        return replayed(trace, attempt, evidence)


def replay_episode(pack: Pack, config: RunConfig, instance: TaskInstance, trace: ExpectedTrace) -> Episode:
    """Return the episode that executes an instance's expected calls."""
    calls = (CallTool(call.function_name, call.arguments, call.turn_index) for call in trace.calls)
    return Episode(
        context=episode_context(pack, config, task_id=instance.task_id, seed=instance.seed),
        steps=(Reset(), GetState(), *calls, GetState()),
    )


def last_life(evidence: Evidence, length: int) -> Evidence:
    """Return what came of the last life of an episode that may hold several of the same length.

    A life that did not come to its end is the last one.
    """
    begun = len(evidence.results) - 1 if evidence.completed else len(evidence.results)
    start = max(begun, 0) // length * length
    failure = evidence.failure
    if failure is not None and failure.step is not None:
        failure = replace(failure, step=failure.step - start)
    return replace(evidence, results=evidence.results[start:], arguments=evidence.arguments[start:], failure=failure)


def replayed(trace: ExpectedTrace, attempt: int, evidence: Evidence) -> Replay:
    """Return the record of one attempt."""
    results, failure = evidence.results, evidence.failure
    return Replay(
        task_id=trace.task_id,
        template_id=trace.template_id,
        attempt=attempt,
        completed=evidence.completed,
        calls=_calls(trace, evidence),
        state_before=results[_STATE_BEFORE] if len(results) > _STATE_BEFORE else None,
        state_after=results[-1] if evidence.completed else None,
        failure=None if failure is None else failure.to_json(),
    )


def _calls(trace: ExpectedTrace, evidence: Evidence) -> tuple[ReplayedCall, ...]:
    """Pair calls with their results; the first that failed is the root of those that failed after it.

    A call that ended its episode has no result: it is kept, as failed. Calls that were never issued are left out.
    """
    results = evidence.results[_FIRST_CALL:]
    ended_in_call = bool(evidence.results) and evidence.failure is not None and evidence.failure.op == "call_tool"
    root: int | None = None
    calls = []
    for index, expected in enumerate(trace.calls[: len(results) + ended_in_call]):
        result = results[index] if index < len(results) else None
        failed = call_failed(result)
        calls.append(
            ReplayedCall(
                call_index=index,
                tool=expected.function_name,
                arguments=expected.arguments,
                result=result,
                failed=failed,
                consequence_of=root if failed else None,
            )
        )
        root = index if failed and root is None else root
    return tuple(calls)
