"""Stage `assert`: the template's assertions over the evidence of both attempts.

Assertions run in a process that never saw the backend and receive JSON evidence alone: the state after the last call,
the trace as entries of exactly `tool`, `arguments` and `result`, the task, and `ctx`. A replay that did not come to its
end is not judged. Outcomes keep their class (ruling 31), whatever becomes of the task.

What the outcomes say about the pack is read off them by `assay.stages.assertion_review`.

Sources: the seed on assertions; `reference/trace-replay.md` 4.3 and 4.4.
"""

from __future__ import annotations

from itertools import tee
from typing import TYPE_CHECKING

from assay.oracle.evidence import Judgement
from assay.stages.by_task import TaskReader
from assay.stages.context import episode_context
from assay.stages.records import AssertionOutcome
from assay.stages.task_view import task_view

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from assay.config import RunConfig
    from assay.oracle.engine import Engine
    from assay.oracle.evidence import Outcome
    from assay.pack.model import Pack
    from assay.stages.records import ConversationPlan, Replay, TaskInstance


def judge_replays(
    pack: Pack,
    instances: Iterable[TaskInstance],
    plans: Iterable[ConversationPlan],
    replays: Iterable[Replay],
    engine: Engine,
    config: RunConfig,
) -> Iterator[AssertionOutcome]:
    """Judge every completed replay.

    Args:
        pack: the loaded pack.
        instances: with `plans`: one record per instance each, in the same order.
        plans: see `instances`.
        replays: in the order of the instances; instances without replays are passed over.
        engine: runs the assertions.
        config: the run config.

    Yields:
        One outcome per named assertion and attempt, in declared order; a name that is listed twice runs twice. Nothing
        for a pack without an assertions module.
    """
    if not pack.has_usable("assertions"):
        return
    completed = (replay for replay in replays if replay.completed)
    asked, judged = tee(completed)
    judgements = _judgements(pack, instances, plans, asked, config)
    for replay, outcomes in zip(judged, engine.judge(judgements), strict=True):
        yield from (_outcome(replay, each) for each in outcomes)


def _judgements(
    pack: Pack,
    instances: Iterable[TaskInstance],
    plans: Iterable[ConversationPlan],
    replays: Iterable[Replay],
    config: RunConfig,
) -> Iterator[Judgement]:
    """Join each replay with its instance and plan. Both attempts of a task read the same pair."""
    tasks = TaskReader(instances)
    shapes = TaskReader(plans)
    instance: TaskInstance | None = None
    plan: ConversationPlan | None = None
    for replay in replays:
        if instance is None or plan is None or instance.task_id != replay.task_id:
            (instance,), (plan,) = tasks.seek(replay.task_id), shapes.seek(replay.task_id)
        yield judgement(pack, instance, plan, replay, config)


def judgement(
    pack: Pack, instance: TaskInstance, plan: ConversationPlan, replay: Replay, config: RunConfig
) -> Judgement:
    """Return the request to judge one completed attempt."""
    return Judgement(
        context=episode_context(pack, config, task_id=instance.task_id, seed=instance.seed),
        state=replay.state_after,
        trace=[{"tool": call.tool, "arguments": call.arguments, "result": call.result} for call in replay.calls],
        task=task_view(instance, plan),
        turn_index=_last_call_turn(plan),
        assertions=instance.success_assertions,
        attempt=replay.attempt,
    )


def _last_call_turn(plan: ConversationPlan) -> int:
    """Return the turn of the last call, 0 without any: what `ctx.turn_index` shows to assertions."""
    turns = [step.turn_index for step in plan.steps if step.kind == "calls" and step.turn_index is not None]
    return turns[-1] if turns else 0


def _outcome(replay: Replay, outcome: Outcome) -> AssertionOutcome:
    return AssertionOutcome(
        task_id=replay.task_id,
        template_id=replay.template_id,
        attempt=replay.attempt,
        assertion=outcome.assertion,
        status=outcome.status,
        detail=outcome.detail,
        place=outcome.place,
        failure=None if outcome.failure is None else outcome.failure.to_json(),
    )
