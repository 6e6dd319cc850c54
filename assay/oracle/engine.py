"""The face of the engine that stages see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from assay.oracle.evidence import (
        AssertionModule,
        BackendSurface,
        CapturedOutput,
        Episode,
        Evidence,
        Failure,
        Judgement,
        Outcome,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Variation:
    """Which of attempt 2's conditions a single run takes over (ruling 29).

    Attributes:
        hash_seed: the hash seed of attempt 2 instead of that of attempt 1.
        ambient: time zone, locale, environment, working directory and wall clock of attempt 2.
    """

    hash_seed: bool = False
    ambient: bool = False


class EngineUnavailable(Exception):
    """A worker could not be started or set up: a fault of the machine or of ours, never of the pack (ruling 40)."""


class Engine(Protocol):
    """Runs pack code in confined worker processes.

    A worker imports its module once and serves many episodes with a reset between. When an episode fails in a way that
    leaves the worker in doubt (timeout, death, bad reply, import), it is killed with its whole process group and
    the next episode gets a new one: one bad episode never costs another its evidence.
    """

    @property
    def isolation(self) -> dict[str, object]:
        """Which protections were in force, for the report (ruling 28)."""

    @property
    def output(self) -> tuple[CapturedOutput, ...]:
        """What pack code has printed, bounded; for logs, never for verdicts."""

    def run(self, episodes: Iterable[Episode], *, attempt: int = 1) -> Iterator[Evidence]:
        """Run episodes and yield their evidence in the same order.

        Attempt 2 keeps everything the contract fixes and changes what a backend must not depend on (ruling 29): hash
        seed, time zone, locale, working directory, wall clock, and the order in which episodes run. No worker has run
        anything before the first of these episodes.
        """

    def run_alone(self, episode: Episode, variation: Variation) -> Evidence:
        """Run one episode in a fresh worker that serves no other, under the conditions of attempt 1 except as named.

        The wall clock is held still: it starts at a fixed instant and moves on by being read. So two runs without a
        variation differ only in what the system cannot hold still (randomness, addresses, process ids, timing).
        Comparing them with varied runs names the cause of a divergence (ruling 29).
        """

    def inspect_backend(self) -> BackendSurface:
        """Import the backend and ask what it offers, without a reset."""

    def inspect_assertions(self) -> AssertionModule:
        """Import the assertions module in a process of its own and ask what it exports."""

    def judge(self, judgements: Iterable[Judgement]) -> Iterator[tuple[Outcome, ...]]:
        """Run assertions over evidence, in a process that never saw the backend; one outcome per named assertion.

        Judgements of attempt 2 run under its conditions and in reversed order, the assertions of each as well, so that
        an assertion which depends on them, or on what ran before, shows.
        """

    def judge_alone(self, judgement: Judgement, variation: Variation) -> tuple[Outcome, ...]:
        """Run one judgement in a fresh worker, under the conditions of attempt 1 except as named; see `run_alone`."""

    def kill_hung_call(self) -> Failure | None:
        """Start a shipped oracle whose call never returns and has a child; return None when both were killed in time.

        Otherwise return what went wrong, with `op` naming the step (check T1, ruling 39).
        """

    def stop(self) -> None:
        """Kill all workers, from another thread than those that use the engine, and start no more.

        What is under way ends soon, with evidence of a dead worker or with `EngineUnavailable`: its results are good
        for nothing. `close` is still to be called.
        """

    def close(self) -> None:
        """End all workers. Safe to call twice."""
