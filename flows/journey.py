"""One pack on its way through the steps of a run: the stages, with one step before and one after them.

A pack may be given a deadline. What is left of it goes along with each step, whose process ends the work in time; here,
no step begins after it, and a step that does not come back is not waited for.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from prefect.results import ResultRecord  # type: ignore[attr-defined]  # documented there, not in its __all__
from prefect.utilities.annotations import quote

from assay.config import ConfigError
from assay.pipeline import PIPELINE
from assay.runner import ArtifactRef, DeadlinePassed, RunError, StageCrash
from flows.ledger import record_cached, record_error
from flows.outcome import PackOutcome, StageOutcome
from tasks.begin import begin
from tasks.finish import finish
from tasks.serve import serve
from tasks.stage import CACHED

if TYPE_CHECKING:
    from prefect.client.schemas.objects import State
    from prefect.futures import PrefectFuture

    from assay.runner import RunRequest
    from flows.naming import PackName
    from flows.outcome import StageStatus
    from tasks.stage import StageTask

BEGIN: Final = "begin"
FINISH: Final = "finish"

COMES_AFTER: Final[dict[str, tuple[str, ...]]] = {
    BEGIN: (),
    **{stage.name: stage.after or (BEGIN,) for stage in PIPELINE},
    FINISH: tuple(stage.name for stage in PIPELINE),
}
"""Step -> the steps that must be done before it, in an order that respects this."""


def _nearest(step: str) -> tuple[str, ...]:
    """Return those steps before a step that come before no other of them: what the rest follows from."""
    before = COMES_AFTER[step]
    return tuple(each for each in before if not any(each in COMES_AFTER[other] for other in before))


_ARROWS: Final = {step: _nearest(step) for step in COMES_AFTER}


@dataclass(slots=True, kw_only=True)
class Journey:
    """How far a pack has come.

    Attributes:
        tasks: stage -> its task, with its records in the store of the request.
        looks_first: whether the first step is to serve the whole pack from the store, if that is possible.
        executed_here: whether its steps are executed in this process.
        waiting: steps not yet given out by `take_ready`.
        under_way: steps given out and not yet settled.
        started: step -> when it was submitted.
        running: steps submitted and not yet settled.
        spent_s: time during which a step was running, up to `running_since`.
        running_since: since when there has always been one; None when there is none.
        futures: step -> what was submitted for it.
        done: steps that completed.
        references: stage -> its artifact.
        stages: stage -> what came of it.
        report: the report, once there is one.
        error: why there will be none: the first thing that went wrong.
        deadline_passed: whether that is the deadline.
    """

    request: RunRequest
    name: PackName
    tasks: dict[str, StageTask]
    looks_first: bool = False
    executed_here: bool = True
    waiting: set[str] = field(default_factory=lambda: set(COMES_AFTER))
    under_way: set[str] = field(default_factory=set)
    started: dict[str, float] = field(default_factory=dict)
    running: set[str] = field(default_factory=set)
    spent_s: float = 0.0
    running_since: float | None = None
    futures: dict[str, PrefectFuture[Any]] = field(default_factory=dict)
    done: set[str] = field(default_factory=set)
    references: dict[str, ArtifactRef] = field(default_factory=dict)
    stages: dict[str, StageOutcome] = field(default_factory=dict)
    report: dict[str, Any] | None = None
    error: str | None = None
    deadline_passed: bool = False

    @property
    def left_s(self) -> float | None:
        """How much of the pack's time is left; None without a deadline.

        Only time in which a step of its own runs is counted: what it waits for others is not its fault.
        """
        if self.request.deadline_s is None:
            return None
        now_s = 0.0 if self.running_since is None else time.monotonic() - self.running_since
        return self.request.deadline_s - self.spent_s - now_s

    @property
    def is_late(self) -> bool:
        """Whether the pack's time is over."""
        return self.left_s is not None and self.left_s <= 0

    def take_ready(self) -> list[str]:
        """Return the steps that can be submitted now and have not been returned before."""
        ready = [step for step in COMES_AFTER if step in self.waiting and self.done.issuperset(COMES_AFTER[step])]
        self.waiting.difference_update(ready)
        self.under_way.update(ready)
        return ready

    def submit(self, step: str) -> PrefectFuture[Any]:
        """Submit a step whose inputs are there.

        Values travel as JSON. The futures of the nearest steps before are done already; they go along so that the page
        draws the arrows.
        """
        given = self._handed({name: self.references[name].to_json() for name in COMES_AFTER[step] if name != BEGIN})
        request = self._handed(replace(self.request, deadline_s=self.left_s).to_json())
        wait_for = [self.futures[name] for name in _ARROWS[step]]
        pack = self.name.pack_id
        future: PrefectFuture[Any]
        self.started[step] = time.monotonic()
        self._note_start(step)
        if step == BEGIN:
            future = (serve if self.looks_first else begin).submit(pack=pack, request=request)
        elif step == FINISH:
            future = finish.submit(pack=pack, request=request, artifacts=given, wait_for=wait_for, return_state=False)
        else:
            future = self.tasks[step].submit(
                pack=pack, request=request, upstream=given, wait_for=wait_for, return_state=False
            )
        self.futures[step] = future
        return future

    def _handed(self, value: Any) -> Any:
        """Return a value as a task gets it: Prefect need not look for futures in it. Dask would lose the mark."""
        return quote(value) if self.executed_here else value

    def settle(self, step: str) -> None:
        """Take note of what came of a step whose future is done."""
        state, value = _outcome_of(self.futures[step])
        self._note_end(step)
        if state is None or not state.is_completed():
            self._crashed(step, value)
        elif step == FINISH:
            self.report = value
        elif step == BEGIN:
            self.done.add(step)
            if value is not None:
                self._served(value)
        else:
            self._completed(step, ArtifactRef.from_json(value), was_cached=state.name == CACHED)

    def _served(self, whole: dict[str, Any]) -> None:
        """Take note that everything was in the store: there is nothing more to do."""
        for stage, facts in whole["artifacts"].items():
            self.references[stage] = ArtifactRef.from_json(facts)
            self.stages[stage] = StageOutcome(stage=stage, status="cached", seconds=self.references[stage].seconds)
        self.report = whole["report"]
        self.done.update(self.waiting)
        self.waiting.clear()

    def give_up(self, step: str) -> None:
        """Take note that a step will not be executed, or not be waited for, because the pack's time is over."""
        self._note_end(step)
        self._crashed(step, DeadlinePassed())

    def _note_start(self, step: str) -> None:
        self.running.add(step)
        if self.running_since is None:
            self.running_since = time.monotonic()

    def _note_end(self, step: str) -> None:
        self.under_way.discard(step)
        self.running.discard(step)
        if not self.running and self.running_since is not None:
            self.spent_s += time.monotonic() - self.running_since
            self.running_since = None

    def _completed(self, stage: str, reference: ArtifactRef, *, was_cached: bool) -> None:
        if was_cached and not reference.cached:
            reference = replace(reference, cached=True, seconds=0.0, output="")
            try:
                record_cached(self.request, reference)
            except OSError as error:
                self._crashed(stage, StageCrash(f"cannot record stage {stage} in the run ledger: {error}"))
                return
        self.done.add(stage)
        self.references[stage] = reference
        status: StageStatus = "cached" if was_cached else "computed"
        self.stages[stage] = StageOutcome(stage=stage, status=status, seconds=reference.seconds)

    def _crashed(self, step: str, error: Any) -> None:
        if isinstance(error, DeadlinePassed):
            text = f"no verdict within the {self.request.deadline_s:g} s that the pack was given; {step} was to be done"
            self.deadline_passed = self.deadline_passed or self.error is None
        else:
            text = str(error) if isinstance(error, RunError | ConfigError) else f"{type(error).__name__}: {error}"
        self.error = self.error or text
        if step in self.started and step not in {BEGIN, FINISH}:
            seconds = time.monotonic() - self.started[step]
            self.stages[step] = StageOutcome(stage=step, status="crashed", seconds=seconds, error=text)

    def close(self) -> PackOutcome:
        """Return what came of the pack, when no step is under way any more."""
        if self.error is not None:
            record_error(self.request, self.error)
        return PackOutcome(
            request=self.request,
            name=self.name,
            report=self.report,
            error=self.error,
            deadline_passed=self.deadline_passed,
            seconds=time.monotonic() - self.started[BEGIN],
            stages=self.stages,
        )


def _outcome_of(future: PrefectFuture[Any]) -> tuple[State[Any] | None, Any]:
    """Return the final state of a step and what it gave back; no state when whatever executed it was lost."""
    future.wait()
    state = future.state
    if state.is_completed() and isinstance(state.data, ResultRecord):
        return state, state.data.result  # it is here; `result` would start an event loop to find that out, for 2 ms
    try:
        value = future.result(raise_on_failure=False)
    except Exception as error:  # the border to other machines: each task runner has its own errors for a lost worker
        return None, error
    return future.state, value
