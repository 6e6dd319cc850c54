"""Stage `strength`: would the assertions notice if the evidence were wrong?

The recorded evidence of attempt 1 is mutated one fact at a time (`assay.stages.mutation`), and the assertions judge
every mutant as they judged the original, in the confined assertions worker. A mutant that one of them does not pass is
*killed*; one that all accept has *survived*. Not a pass is everything that would not score as a success: a failure,
`not_applicable` (ruling 31), an exception. A deadline or a dead worker is no answer: the mutant is undecided.

Of each template one task is measured, under `--exhaustive` too: whether assertions look at a fact depends on their
code, not on the values that one instance happens to have.

What this says about the pack is read off by `assay.stages.strength_review`; `docs/design/assertion-strength.md` gives
the reasons.
"""

from __future__ import annotations

from collections import Counter, deque
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Final, cast

from assay.oracle.evidence import FailureKind
from assay.stages.assertions import judgement
from assay.stages.mutation import derive_mutants
from assay.stages.records import JudgedMutant, MutantOutcome
from assay.values import path_text

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator

    from assay.config import RunConfig
    from assay.oracle.engine import Engine
    from assay.oracle.evidence import Judgement, Outcome
    from assay.pack.model import Pack
    from assay.stages.mutation import Mutant
    from assay.stages.records import ConversationPlan, Replay, TaskInstance

MOST_UNANSWERED: Final = 2
"""After so many deadlines or dead workers a task's other mutants are left undecided: each may cost a full deadline."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredTask:
    """A task whose evidence all assertions accept: the only kind that can tell whether they would notice a change."""

    instance: TaskInstance
    plan: ConversationPlan
    replay: Replay


def choose_tasks(passed: Iterable[str], instances: Iterable[TaskInstance]) -> set[str]:
    """Return the ids of the tasks to measure: of each template its representative, else its first that passed.

    Args:
        passed: ids of tasks whose assertions all passed, in both attempts.
        instances: the instances that were judged, among others.
    """
    accepted = frozenset(passed)
    chosen: dict[str, TaskInstance] = {}
    for each in instances:
        if each.task_id in accepted:
            present = chosen.setdefault(each.template_id, each)
            if each.representative and not present.representative:
                chosen[each.template_id] = each
    return {each.task_id for each in chosen.values()}


def judge_mutants(
    pack: Pack, tasks: Iterable[MeasuredTask], engine_source: Callable[[], Engine], config: RunConfig
) -> Iterator[JudgedMutant]:
    """Mutate the evidence of each task and let its assertions judge every mutant.

    Args:
        pack: the loaded pack.
        tasks: one of each template, in the order of the instances; only completed replays of attempt 1.
        engine_source: makes (or returns) the engine that runs the assertions; asked for only when there is a mutant.
        config: the run config.

    Yields:
        The mutants of each task, in the order of `KINDS`. A task without calls, tools and a state has none.
    """
    left = _requests(pack, tasks, config)
    while (first := next(left, None)) is not None:
        left = yield from _judged(chain((first,), left), engine_source())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Request:
    """A mutant on its way to the assertions."""

    replay: Replay
    index: int
    mutant: Mutant
    judgement: Judgement

    def answered(self, outcomes: tuple[MutantOutcome, ...]) -> JudgedMutant:
        mutant = self.mutant
        return JudgedMutant(
            task_id=self.replay.task_id,
            template_id=self.replay.template_id,
            index=self.index,
            kind=mutant.kind,
            call_index=mutant.call_index,
            tool=mutant.tool,
            path=None if mutant.path is None else path_text(mutant.path),
            before=mutant.before,
            after=mutant.after,
            outcomes=outcomes,
        )


def _requests(pack: Pack, tasks: Iterable[MeasuredTask], config: RunConfig) -> Iterator[_Request]:
    for task in tasks:
        original = judgement(pack, task.instance, task.plan, task.replay, config)
        mutants = derive_mutants(original.trace, task.replay.state_before, original.state, task.instance.tools_present)
        for index, mutant in enumerate(mutants):
            wrong = replace(original, trace=mutant.trace, state=mutant.state)
            yield _Request(replay=task.replay, index=index, mutant=mutant, judgement=wrong)


def _judged(requests: Iterator[_Request], engine: Engine) -> Generator[JudgedMutant, None, Iterator[_Request]]:
    """Judge until a task has gone unanswered too often; leave out the rest of it and return what comes after.

    All tasks share one stream, because a stream starts its own worker. Ending it is what keeps the assertions from what
    was sent ahead.
    """
    sent: deque[_Request] = deque()
    unanswered: Counter[str] = Counter()
    stream = cast("Generator[tuple[Outcome, ...], None, None]", engine.judge(_sending(requests, sent)))
    with closing(stream):
        for said in stream:
            request, outcomes = sent.popleft(), tuple(map(_outcome, said))
            yield request.answered(outcomes)
            task_id = request.replay.task_id
            unanswered[task_id] += sum(not each.answered for each in outcomes)
            if unanswered[task_id] >= MOST_UNANSWERED:
                break
        else:
            return iter(())
    return (yield from _without_answer(task_id, chain(sent, requests)))


def _sending(requests: Iterable[_Request], sent: deque[_Request]) -> Iterator[Judgement]:
    """Yield what is to be judged, and keep what it was for until it is answered."""
    for each in requests:
        sent.append(each)
        yield each.judgement


def _without_answer(task_id: str, left: Iterator[_Request]) -> Generator[JudgedMutant, None, Iterator[_Request]]:
    """Yield the mutants of a task without outcomes; return what comes after them."""
    for each in left:
        if each.replay.task_id != task_id:
            return chain((each,), left)
        yield each.answered(())
    return iter(())


def _outcome(outcome: Outcome) -> MutantOutcome:
    """An exception is an answer, and no pass; everything else that keeps an answer away leaves the mutant undecided."""
    failure = outcome.failure
    if failure is None or (failure.kind is FailureKind.RAISED and failure.op == "assertion"):
        return MutantOutcome(assertion=outcome.assertion, status=outcome.status)
    return MutantOutcome(assertion=outcome.assertion, status="undecided", failure=failure.to_json())
