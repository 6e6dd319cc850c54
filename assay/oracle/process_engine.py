"""The engine that runs pack code in worker processes on this machine.

How it works and what each protection costs: `docs/design/executing-pack-code.md`.
"""

from __future__ import annotations

import json
from collections import deque
from typing import TYPE_CHECKING, TypeVar

from assay.oracle import conditions, hung_call, inspection, interpreter, isolation
from assay.oracle.episode_work import EpisodeWork
from assay.oracle.evidence import AssertionModule, BackendSurface, CapturedOutput
from assay.oracle.judgement_work import JudgementWork
from assay.oracle.lane import AHEAD, Lane
from assay.oracle.ordering import ReversedChunks
from assay.oracle.pack_frames import PackFrames
from assay.oracle.scratch import Scratch, steady_folder
from assay.oracle.spec import Assignment
from assay.oracle.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import TracebackType
    from typing import Self

    from assay.oracle.conditions import Conditions
    from assay.oracle.engine import Variation
    from assay.oracle.evidence import Episode, Evidence, Failure, Judgement, Outcome
    from assay.oracle.spec import OracleSpec

W = TypeVar("W", EpisodeWork, JudgementWork)


class ProcessEngine:
    """Runs one pack's code in confined workers; `assay.oracle.engine.Engine` says what each method promises.

    Nothing is started before it is needed. Use it as a context manager, or call `close`. Several threads may use one
    engine at once, each with iterators of its own.

    Args:
        spec: what to run.
    """

    def __init__(self, spec: OracleSpec) -> None:
        self._spec = spec
        self._fixtures = json.dumps(spec.fixtures)
        self._scratch = Scratch()
        own_folders = {self._scratch.base: "<scratch>", steady_folder(): "<scratch>"}
        self._root = spec.root.resolve()
        self._frames = PackFrames(self._root, interpreter.known_places() | own_folders)
        self._workers = Workers(self._scratch, self._frames)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    @property
    def isolation(self) -> dict[str, object]:
        """Protections that all workers so far have had in force; empty before the first."""
        protections = self._workers.protections
        return {} if protections is None else {**isolation.ALWAYS, **protections}

    @property
    def output(self) -> tuple[CapturedOutput, ...]:
        """What the latest workers printed, those that printed nothing left out."""
        return tuple(
            CapturedOutput(role=role, text=self._frames.text(printed.text), length=printed.count)
            for role, printed in self._workers.printed
            if printed.count
        )

    def run(self, episodes: Iterable[Episode], *, attempt: int = 1) -> Iterator[Evidence]:
        """Run episodes and yield their evidence in the same order.

        Episodes are read ahead, `AHEAD` of them; under attempt 2 twice as many, because it runs each `AHEAD` of them in
        reversed order.

        Raises:
            ValueError: for a pack without a backend, or another attempt than 1 or 2.
            EngineUnavailable: when a worker cannot be started.
        """
        lane: Lane[EpisodeWork] = self._lane(self._backend(conditions.of_attempt(attempt)))
        work = (EpisodeWork(each, self._spec.limits) for each in episodes)
        if attempt == 1:
            return (each.evidence() for each in _finished(lane, work))
        chunks = ReversedChunks(work, AHEAD)
        return (each.evidence() for each in chunks.restored(_finished(lane, chunks)))

    def run_alone(self, episode: Episode, variation: Variation) -> Evidence:
        """Run one episode in a worker of its own; see `Engine.run_alone`."""
        varied = conditions.varied(hash_seed=variation.hash_seed, ambient=variation.ambient)
        lane: Lane[EpisodeWork] = self._lane(self._backend(varied))
        work = EpisodeWork(episode, self._spec.limits, alone=True)
        lane.add(work)
        try:
            return lane.next().evidence()
        finally:
            lane.retire()

    def judge_alone(self, judgement: Judgement, variation: Variation) -> tuple[Outcome, ...]:
        """Run assertions in a worker of their own; see `Engine.judge_alone`."""
        varied = conditions.varied(hash_seed=variation.hash_seed, ambient=variation.ambient)
        lane: Lane[JudgementWork] = self._lane(self._assertions(varied))
        lane.add(JudgementWork(judgement, self._spec.limits, self._frames, alone=True))
        try:
            return lane.next().outcomes
        finally:
            lane.retire()

    def inspect_backend(self) -> BackendSurface:
        """Import the backend and ask what it offers; nothing is offered by a pack without one."""
        if self._spec.backend is None:
            return BackendSurface(
                callables=dict.fromkeys(inspection.CALLABLES, False), tools=None, failure=None, modules={}
            )
        return inspection.inspect_backend(self._workers, self._backend(conditions.FIRST), self._frames)

    def inspect_assertions(self) -> AssertionModule:
        """Import the assertions module and ask what it exports; a pack without one exports nothing."""
        if self._spec.assertions is None:
            return AssertionModule(assertions={}, has_capabilities=False, failure=None, modules={})
        assignment = self._assertions(conditions.FIRST, inspects=True)
        return inspection.inspect_assertions(self._workers, assignment, self._frames)

    def judge(self, judgements: Iterable[Judgement]) -> Iterator[tuple[Outcome, ...]]:
        """Run assertions over evidence, each judgement under the conditions of its attempt.

        Raises:
            ValueError: for a pack without assertions.
            EngineUnavailable: when a worker cannot be started.
        """
        lanes: dict[int, Lane[JudgementWork]] = {
            attempt: self._lane(self._assertions(conditions.of_attempt(attempt))) for attempt in (1, 2)
        }
        return self._judged(lanes, iter(judgements))

    def kill_hung_call(self) -> Failure | None:
        """Prove that a hung call is killed with what it started; see `Engine.kill_hung_call`."""
        return hung_call.kill_hung_call(self._spec, self._scratch)

    def close(self) -> None:
        """End all workers and remove their folders. Safe to call twice."""
        self._workers.close()
        self._scratch.close()

    def _judged(
        self, lanes: dict[int, Lane[JudgementWork]], judgements: Iterator[Judgement]
    ) -> Iterator[tuple[Outcome, ...]]:
        """Keep both lanes filled and take their outcomes in the order of the judgements."""
        order: deque[int] = deque()
        try:
            while True:
                while all(lane.has_room for lane in lanes.values()) and (each := next(judgements, None)) is not None:
                    lanes[each.attempt].add(JudgementWork(each, self._spec.limits, self._frames))
                    order.append(each.attempt)
                if not order:
                    return
                yield lanes[order.popleft()].next().outcomes
        finally:
            for lane in lanes.values():
                lane.release()

    def _lane(self, assignment: Assignment) -> Lane[W]:
        return Lane(self._workers, assignment, self._frames)

    def _backend(self, under: Conditions) -> Assignment:
        if self._spec.backend is None:
            raise ValueError("this pack has no backend to run")
        return self._assignment("backend", self._spec.backend, under, fixtures=self._fixtures)

    def _assertions(self, under: Conditions, *, inspects: bool = False) -> Assignment:
        if self._spec.assertions is None:
            raise ValueError("this pack has no assertions to run")
        return self._assignment("assertions", self._spec.assertions, under, inspects=inspects)

    def _assignment(
        self, role: str, file: str, under: Conditions, *, fixtures: str = "null", inspects: bool = False
    ) -> Assignment:
        return Assignment(
            role=role,
            root=self._root,
            file=file,
            fixtures=fixtures,
            conditions=under,
            limits=self._spec.limits,
            confinement=self._spec.confinement,
            inspects=inspects,
        )


def _finished(lane: Lane[W], work: Iterable[W]) -> Iterator[W]:
    """Keep a lane filled and yield its work as it comes to its end, in order."""
    source = iter(work)
    try:
        while True:
            while lane.has_room and (each := next(source, None)) is not None:
                lane.add(each)
            if lane.is_empty:
                return
            yield lane.next()
    finally:
        lane.release()
