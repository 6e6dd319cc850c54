"""Running groups of validation cases and keeping what each case showed.

One group is one episode; around every call the state is read, so that every change is seen (`reference/validation.md`
6.2). All groups go to the engine at once, in file order, and share its workers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.oracle.evidence import CallTool, Episode, GetState, Reset
from assay.stages.context import episode_context
from assay.stages.records import ProbeAttempt
from assay.stages.results import ResultClass, classify, error_code
from assay.values import same_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from assay.checks.case_groups import CaseGroup
    from assay.config import RunConfig
    from assay.oracle.engine import Engine
    from assay.oracle.evidence import Evidence, Failure, Step
    from assay.pack.model import ConfirmationProtocol, Pack, ValidationCase
    from assay.values import JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseRun:
    """One attempt at one case.

    Attributes:
        group: index of its group.
        observed: the class of its result; None when the call did not come back.
        before: with `after`: the state around the call; None when not read.
        failure: what ended the episode in this case.
        completed: the call and both reads of the state came back.
    """

    case: ValidationCase
    group: int
    attempt: int
    result: JsonValue = None
    observed: ResultClass | None = None
    before: JsonValue = None
    after: JsonValue = None
    failure: Failure | None = None
    completed: bool = False

    @property
    def state_changed(self) -> bool:
        """Whether the call changed the state; False when that was not observed."""
        return self.completed and not same_value(self.before, self.after)

    def to_record(self) -> ProbeAttempt:
        """Return the row of the `probes` table."""
        code = error_code(self.result)
        ended = "failed" if self.failure is not None else "not_run"
        return ProbeAttempt(
            case_id=self.case.id,
            tool=self.case.tool,
            attempt=self.attempt,
            group=self.group,
            arguments=arguments_sent(self.case),
            result=self.result,
            result_class=ended if self.observed is None else str(self.observed),
            error_code=code if isinstance(code, str) else None,
            state_changed=self.state_changed if self.completed else None,
            failure=None if self.failure is None else self.failure.to_json(),
        )


def arguments_sent(case: ValidationCase) -> JsonValue:
    """Return the arguments of a case as they are sent: whatever is empty is sent as an empty object."""
    return case.arguments or {}


def group_episode(pack: Pack, config: RunConfig, group: CaseGroup) -> Episode:
    """Return the episode of a group."""
    context = episode_context(pack, config, task_id=f"validation-group:{group.index}", seed=config.random_seed)
    return Episode(context=context, steps=tuple(case_steps(group.cases)))


def case_steps(cases: Iterable[ValidationCase]) -> Iterator[Step]:
    """Yield the steps of a chain of cases."""
    for case in cases:
        if case.reset_before:
            yield Reset()
        yield from (GetState(), CallTool(case.tool, arguments_sent(case)), GetState())


def run_groups(
    pack: Pack, config: RunConfig, engine: Engine, groups: tuple[CaseGroup, ...], *, attempt: int
) -> tuple[CaseRun, ...]:
    """Run groups and return what every case showed, in file order."""
    episodes = (group_episode(pack, config, group) for group in groups)
    protocol = pack.manifest.confirmation
    return tuple(
        run
        for group, evidence in zip(groups, engine.run(episodes, attempt=attempt), strict=True)
        for run in _read_evidence(group, evidence, protocol, attempt)
    )


def _read_evidence(
    group: CaseGroup, evidence: Evidence, protocol: ConfirmationProtocol, attempt: int
) -> Iterator[CaseRun]:
    """Share out the results of an episode among its cases; the failure belongs to the case under way."""
    left = list(evidence.results)
    failure = evidence.failure
    for case in group.cases:
        wanted = len(list(case_steps([case])))
        mine, left = left[:wanted], left[wanted:]
        completed = len(mine) == wanted
        before, result, after = ([*mine[case.reset_before :], None, None, None])[:3]
        called = len(mine) >= wanted - 1
        yield CaseRun(
            case=case,
            group=group.index,
            attempt=attempt,
            result=result if called else None,
            observed=classify(result, protocol) if called else None,
            before=before,
            after=after,
            failure=None if completed else failure,
            completed=completed,
        )
        failure = failure if completed else None
