"""One pack on its way through the steps of a run: the stages, with one step before and one after them."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from assay.config import ConfigError
from assay.pipeline import PIPELINE
from assay.runner import ArtifactRef, RunError, StageCrash
from flows.ledger import record_cached, record_error
from flows.outcome import PackOutcome, StageOutcome
from tasks.begin import begin
from tasks.finish import finish
from tasks.stage import CACHED

if TYPE_CHECKING:
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


@dataclass(slots=True, kw_only=True)
class Journey:
    """How far a pack has come.

    Attributes:
        tasks: stage -> its task, with its records in the store of the request.
        waiting: steps not yet given out by `take_ready`.
        under_way: steps given out and not yet settled.
        started: step -> when it was submitted.
        futures: step -> what was submitted for it.
        done: steps that completed.
        references: stage -> its artifact.
        stages: stage -> what came of it.
        report: the report, once there is one.
        error: why there will be none: the first thing that went wrong.
    """

    request: RunRequest
    name: PackName
    tasks: dict[str, StageTask]
    waiting: set[str] = field(default_factory=lambda: set(COMES_AFTER))
    under_way: set[str] = field(default_factory=set)
    started: dict[str, float] = field(default_factory=dict)
    futures: dict[str, PrefectFuture[Any]] = field(default_factory=dict)
    done: set[str] = field(default_factory=set)
    references: dict[str, ArtifactRef] = field(default_factory=dict)
    stages: dict[str, StageOutcome] = field(default_factory=dict)
    report: dict[str, Any] | None = None
    error: str | None = None

    def take_ready(self) -> list[str]:
        """Return the steps that can be submitted now and have not been returned before."""
        ready = [step for step in COMES_AFTER if step in self.waiting and self.done.issuperset(COMES_AFTER[step])]
        self.waiting.difference_update(ready)
        self.under_way.update(ready)
        return ready

    def submit(self, step: str) -> PrefectFuture[Any]:
        """Submit a step whose inputs are there.

        Values travel as JSON. The futures of the steps before it are done already; they go along so that Prefect's page
        draws the arrows.
        """
        before = COMES_AFTER[step]
        given = {name: self.references[name].to_json() for name in before if name != BEGIN}
        wait_for = [self.futures[name] for name in before]
        pack, request = self.name.pack_id, self.request.to_json()
        future: PrefectFuture[Any]
        self.started[step] = time.monotonic()
        if step == BEGIN:
            future = begin.submit(pack=pack, request=request)
        elif step == FINISH:
            future = finish.submit(pack=pack, request=request, artifacts=given, wait_for=wait_for, return_state=False)
        else:
            future = self.tasks[step].submit(
                pack=pack, request=request, upstream=given, wait_for=wait_for, return_state=False
            )
        self.futures[step] = future
        return future

    def settle(self, step: str) -> None:
        """Take note of what came of a step whose future is done."""
        future = self.futures[step]
        future.wait()
        value = future.result(raise_on_failure=False)
        self.under_way.discard(step)
        if not future.state.is_completed():
            self._crashed(step, value)
        elif step == FINISH:
            self.report = value
        elif step == BEGIN:
            self.done.add(step)
        else:
            self._completed(step, ArtifactRef.from_json(value), was_cached=future.state.name == CACHED)

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
        text = str(error) if isinstance(error, RunError | ConfigError) else f"{type(error).__name__}: {error}"
        self.error = self.error or text
        if step not in {BEGIN, FINISH}:
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
            seconds=time.monotonic() - self.started[BEGIN],
            stages=self.stages,
        )
