"""The engine that runs pack code in worker processes on this machine.

How it works and what each protection costs: `docs/design/executing-pack-code.md`.
"""

from __future__ import annotations

import json
from collections import deque
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from assay.oracle import conditions, hung_call, inspection, interpreter, isolation
from assay.oracle.episode_work import EpisodeWork
from assay.oracle.evidence import AssertionModule, BackendSurface, CapturedOutput
from assay.oracle.judgement_work import JudgementWork
from assay.oracle.lane import Lane
from assay.oracle.pack_frames import PackFrames
from assay.oracle.scratch import Scratch, steady_folder
from assay.oracle.spec import Assignment
from assay.oracle.team import ReversingTeam, Team
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
AnyTeam: TypeAlias = Team[W] | ReversingTeam[W]


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
        self._surface: BackendSurface | None = None
        self._module: AssertionModule | None = None

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

        Episodes are read ahead: for each lane what it takes (`assay.oracle.team`), under attempt 2 two chunks. No
        worker has run anything else before, so the evidence depends on these episodes alone.

        Raises:
            ValueError: for a pack without a backend, or another attempt than 1 or 2.
            EngineUnavailable: when a worker cannot be started.
        """
        team: AnyTeam[EpisodeWork] = self._team(self._backend(conditions.of_attempt(attempt)), attempt)
        work = (EpisodeWork(each, self._spec.limits) for each in episodes)
        return (each.evidence() for each in _finished(team, work))

    def run_alone(self, episode: Episode, variation: Variation) -> Evidence:
        """Run one episode in a worker of its own; see `Engine.run_alone`."""
        varied = conditions.varied(hash_seed=variation.hash_seed, ambient=variation.ambient)
        lane: Lane[EpisodeWork] = self._lane(self._backend(varied))
        lane.add(EpisodeWork(episode, self._spec.limits))
        try:
            return lane.next().evidence()
        finally:
            lane.close()

    def judge_alone(self, judgement: Judgement, variation: Variation) -> tuple[Outcome, ...]:
        """Run assertions in a worker of their own; see `Engine.judge_alone`."""
        varied = conditions.varied(hash_seed=variation.hash_seed, ambient=variation.ambient)
        lane: Lane[JudgementWork] = self._lane(self._assertions(varied))
        lane.add(JudgementWork(judgement, self._spec.limits, self._frames))
        try:
            return lane.next().outcomes
        finally:
            lane.close()

    def inspect_backend(self) -> BackendSurface:
        """Import the backend and ask what it offers; nothing is offered by a pack without one.

        An answer is kept, a failure is not: the key of a stage and check 3 ask the same, and each time costs a worker.
        """
        if self._spec.backend is None:
            return BackendSurface(
                callables=dict.fromkeys(inspection.CALLABLES, False), tools=None, failure=None, modules={}
            )
        found = self._surface or inspection.inspect_backend(
            self._workers, self._backend(conditions.FIRST), self._frames
        )
        self._surface = None if found.failure else found
        return found

    def inspect_assertions(self) -> AssertionModule:
        """Import the assertions module and ask what it exports; a pack without one exports nothing.

        An answer is kept, like that of the backend.
        """
        if self._spec.assertions is None:
            return AssertionModule(assertions={}, has_capabilities=False, failure=None, modules={})
        found = self._module or inspection.inspect_assertions(
            self._workers, self._assertions(conditions.FIRST, inspects=True), self._frames
        )
        self._module = None if found.failure else found
        return found

    def judge(self, judgements: Iterable[Judgement]) -> Iterator[tuple[Outcome, ...]]:
        """Run assertions over evidence, each judgement under the conditions of its attempt.

        Raises:
            ValueError: for a pack without assertions.
            EngineUnavailable: when a worker cannot be started.
        """
        teams: dict[int, AnyTeam[JudgementWork]] = {
            attempt: self._team(self._assertions(conditions.of_attempt(attempt)), attempt) for attempt in (1, 2)
        }
        return self._judged(teams, iter(judgements))

    def kill_hung_call(self) -> Failure | None:
        """Prove that a hung call is killed with what it started; see `Engine.kill_hung_call`."""
        return hung_call.kill_hung_call(self._spec, self._scratch)

    def stop(self) -> None:
        """Kill all workers and start no more; see `Engine.stop`."""
        self._workers.stop()

    def close(self) -> None:
        """End all workers and remove their folders. Safe to call twice."""
        self._workers.close()
        self._scratch.close()

    def _judged(
        self, teams: dict[int, AnyTeam[JudgementWork]], judgements: Iterator[Judgement]
    ) -> Iterator[tuple[Outcome, ...]]:
        """Keep both teams busy and take their outcomes in the order of the judgements."""
        order: deque[int] = deque()
        try:
            while True:
                while all(team.has_room for team in teams.values()) and (each := next(judgements, None)) is not None:
                    teams[each.attempt].add(JudgementWork(each, self._spec.limits, self._frames))
                    order.append(each.attempt)
                for team in teams.values():
                    team.push()
                if not order:
                    return
                yield teams[order.popleft()].next().outcomes
        finally:
            for team in teams.values():
                team.close()

    def _team(self, assignment: Assignment, attempt: int) -> AnyTeam[W]:
        team: Team[W] = Team(lambda: self._lane(assignment))
        return team if attempt == 1 else ReversingTeam(team)

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


def _finished(team: AnyTeam[W], work: Iterable[W]) -> Iterator[W]:
    """Keep a team busy and yield its work as it comes to its end, in order."""
    source = iter(work)
    try:
        team.prepare()
        while True:
            while team.has_room and (each := next(source, None)) is not None:
                team.add(each)
            team.push()
            if team.is_empty:
                return
            yield team.next()
    finally:
        team.close()
