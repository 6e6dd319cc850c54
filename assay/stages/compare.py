"""Stage `compare`: one verdict per instance, from its two replays and their assertion outcomes.

Results, state and assertion outcomes of both attempts are compared as canonical JSON. A divergence says at which JSON
paths, with both values, and for what cause; the cause is looked for at the first divergent task of a template and taken
over for its other tasks, which bounds the number of extra runs by the number of templates.

Verdict reasons: `reference/trace-replay.md` 4.2; rulings 29 to 31.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from assay.oracle.evidence import failure_from_json
from assay.stages.assertions import judgement
from assay.stages.by_task import TaskReader
from assay.stages.divergence import cause_in_episode, cause_in_judgement, difference_facts, first_differences
from assay.stages.plan import plan_pack
from assay.stages.records import InstanceVerdict
from assay.stages.replay import replay_episode
from assay.values import canonical_json, path_text, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from assay.config import RunConfig
    from assay.oracle.engine import Engine
    from assay.pack.model import Pack
    from assay.stages.records import AssertionOutcome, ExpectedTrace, Replay, SchemaCheck, TaskInstance
    from assay.values import JsonObject

PARTS: Final = ("results", "state", "assertions")


class Causes:
    """Finds the causes of divergences: one per template for its replays, one for its assertions."""

    def __init__(self, pack: Pack, engine: Engine, config: RunConfig) -> None:
        self._pack = pack
        self._engine = engine
        self._config = config
        self._of_replays: dict[str, str] = {}
        self._of_assertions: dict[str, str] = {}

    def of_replays(self, instance: TaskInstance, trace: ExpectedTrace) -> str:
        """Return the cause for an instance whose results or states differ."""
        cause = self._of_replays.get(instance.template_id)
        if cause is None:
            cause = cause_in_episode(self._engine, replay_episode(self._pack, self._config, instance, trace))
            self._of_replays[instance.template_id] = cause
        return cause

    def of_assertions(self, instance: TaskInstance, replay: Replay) -> str:
        """Return the cause for an instance of which nothing but the assertion outcomes differ."""
        cause = self._of_assertions.get(instance.template_id)
        if cause is None:
            (plan,) = plan_pack(self._pack, (instance,)).plans
            asked = judgement(self._pack, instance, plan, replay, self._config)
            cause = cause_in_judgement(self._engine, asked)
            self._of_assertions[instance.template_id] = cause
        return cause


def compare_instances(
    instances: Iterable[TaskInstance],
    traces: Iterable[ExpectedTrace],
    checks: Iterable[SchemaCheck],
    replays: Iterable[Replay],
    outcomes: Iterable[AssertionOutcome],
    causes: Causes,
) -> Iterator[InstanceVerdict]:
    """Give the verdict on every instance.

    Args:
        instances: with `traces` and `checks`: one record per instance each, in the same order.
        traces: see `instances`.
        checks: see `instances`.
        replays: with `outcomes`: in the same order; instances without any are passed over.
        outcomes: see `replays`.
        causes: finds out why two replays differ.
    """
    attempts = TaskReader(replays)
    judged = TaskReader(outcomes)
    for instance, trace, check in zip(instances, traces, checks, strict=True):
        pair, said = attempts.take(instance.task_id), judged.take(instance.task_id)
        yield compare_instance(instance, trace, check, pair, said, causes)


def compare_instance(
    instance: TaskInstance,
    trace: ExpectedTrace,
    check: SchemaCheck,
    pair: Sequence[Replay],
    outcomes: Sequence[AssertionOutcome],
    causes: Causes,
) -> InstanceVerdict:
    """Give the verdict on one instance from both of its attempts; without attempts when it was not executed."""
    if not check.valid:
        return _rejected(trace, check)
    if (unusable := _unusable(pair)) or not pair:
        return _not_executed(instance, trace, pair, unusable, causes)
    return _compared(instance, trace, pair, outcomes, causes)


def _rejected(trace: ExpectedTrace, check: SchemaCheck) -> InstanceVerdict:
    """Judge an instance that was never executed."""
    detail: dict[str, Any] = {"failures": list(check.failures)} if trace.derived else {"drop_reason": trace.drop_reason}
    return InstanceVerdict(
        task_id=trace.task_id,
        template_id=trace.template_id,
        passed=False,
        reason=check.reject_reason,
        detail=detail,
    )


def _unusable(pair: Sequence[Replay]) -> list[JsonObject]:
    """Return what keeps the attempts from being evidence: episodes that ended early, results that are not allowed."""
    facts: list[JsonObject] = []
    for replay in pair:
        if replay.failure is not None:
            facts.append({"attempt": replay.attempt, "failure": replay.failure})
        facts.extend(
            {"attempt": replay.attempt, "call_index": call.call_index, "tool": call.tool, "result": shown(call.result)}
            for call in replay.calls
            if replay.completed and _not_a_result(call.result)
        )
    return facts


def _not_a_result(result: Any) -> bool:
    return not isinstance(result, dict) or not isinstance(result.get("error", {}), dict)


def _not_executed(
    instance: TaskInstance, trace: ExpectedTrace, pair: Sequence[Replay], unusable: list[JsonObject], causes: Causes
) -> InstanceVerdict:
    """Judge an instance with an unusable attempt. When just one of the two ended early, that is a divergence too."""
    failures = [failure_from_json(each.failure) for each in pair if each.failure is not None]
    one_sided = len(failures) == 1 and not failures[0].is_transient
    return InstanceVerdict(
        task_id=instance.task_id,
        template_id=instance.template_id,
        passed=False,
        reason="executable_replay_failed",
        diverged=("results",) if one_sided else (),
        paths=("$.results",) if one_sided else (),
        cause=causes.of_replays(instance, trace) if one_sided else None,
        detail={"unusable": unusable},
    )


def _compared(
    instance: TaskInstance,
    trace: ExpectedTrace,
    pair: Sequence[Replay],
    outcomes: Sequence[AssertionOutcome],
    causes: Causes,
) -> InstanceVerdict:
    first, second = (_evidence(replay, outcomes) for replay in pair)
    diverged = tuple(part for part in PARTS if canonical_json(first[part]) != canonical_json(second[part]))
    if diverged == ("assertions",) and any(_rests_on_deadline(each) for each in outcomes):
        diverged = ()
    if diverged:
        found = first_differences((part, first[part], second[part]) for part in diverged)
        return InstanceVerdict(
            task_id=instance.task_id,
            template_id=instance.template_id,
            passed=False,
            reason="nondeterministic_replay",
            diverged=diverged,
            paths=tuple(path_text(each.path) for each in found),
            cause=(
                causes.of_assertions(instance, pair[0])
                if diverged == ("assertions",)
                else causes.of_replays(instance, trace)
            ),
            detail={"differences": difference_facts(found)},
        )
    unmet = [each for side in (first, second) for each in side["assertions"] if each["status"] != "passed"]
    unmet.extend(_not_judged(instance, first["assertions"]))
    return InstanceVerdict(
        task_id=instance.task_id,
        template_id=instance.template_id,
        passed=not unmet,
        reason="assertion_failed" if unmet else None,
        detail={"assertions": unmet} if unmet else {},
    )


def _evidence(replay: Replay, outcomes: Sequence[AssertionOutcome]) -> dict[str, Any]:
    """Return what is compared of one attempt."""
    return {
        "results": [call.result for call in replay.calls],
        "state": replay.state_after,
        "assertions": [
            {"assertion": each.assertion, "status": each.status, "detail": each.detail}
            for each in outcomes
            if each.attempt == replay.attempt
        ],
    }


def _not_judged(instance: TaskInstance, judged: Sequence[Any]) -> list[dict[str, Any]]:
    """Return the named assertions without an outcome: all or none, since only a whole module can be missing."""
    missing = () if judged else instance.success_assertions
    return [{"assertion": name, "status": "not_run", "detail": None} for name in missing]


def _rests_on_deadline(outcome: AssertionOutcome) -> bool:
    return outcome.failure is not None and failure_from_json(outcome.failure).is_transient
