"""Takes packs through their steps, inside one flow run.

A step is submitted only when everything it comes after is done, so that no thread or worker ever waits for another
step; how many may run at once is the conductor's own limit, whatever executes them (threads here, a Dask cluster
elsewhere). Where there is a choice, packs named earlier go first: packs are finished one after the other rather than
all at the end. A step that crashes costs its own pack the steps after it, and no other pack anything.

All decisions are taken in the flow's own thread; completed tasks only put a message in a queue.
"""

from __future__ import annotations

import heapq
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Final

from prefect.logging import get_run_logger

from flows.journey import COMES_AFTER, Journey
from flows.naming import name_of
from flows.progress import PackEnded, StageEnded, tell
from flows.summary import VERDICTS
from tasks.catalogue import stage_tasks_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.runner import RunRequest
    from flows.outcome import PackOutcome

_ORDER: Final = {step: number for number, step in enumerate(COMES_AFTER)}


def conduct(requests: Sequence[RunRequest], *, at_once: int) -> list[PackOutcome]:
    """Take every pack as far as it goes; return what came of each, in the order of the requests.

    Args:
        requests: one for each pack.
        at_once: how many steps may run at the same time.
    """
    return _Conductor(requests, at_once).run()


class _Conductor:
    def __init__(self, requests: Sequence[RunRequest], at_once: int) -> None:
        tasks = {root: stage_tasks_for(root) for root in sorted({each.root for each in requests})}
        self._journeys = [Journey(request=each, name=name_of(each), tasks=tasks[each.root]) for each in requests]
        self._outcomes: dict[int, PackOutcome] = {}
        self._at_once = at_once
        self._running = 0
        self._ready: list[tuple[int, int, str]] = []
        self._ended: SimpleQueue[tuple[int, str]] = SimpleQueue()

    def run(self) -> list[PackOutcome]:
        for number in range(len(self._journeys)):
            self._look_for_steps(number)
        self._submit()
        while self._running:
            number, step = self._ended.get()
            self._running -= 1
            self._settle(number, step)
            self._submit()
        return [self._outcomes[number] for number in range(len(self._journeys))]

    def _look_for_steps(self, number: int) -> None:
        for step in self._journeys[number].take_ready():
            heapq.heappush(self._ready, (number, _ORDER[step], step))

    def _submit(self) -> None:
        while self._ready and self._running < self._at_once:
            number, _, step = heapq.heappop(self._ready)
            future = self._journeys[number].submit(step)
            self._running += 1
            future.add_done_callback(self._reporter(number, step))

    def _reporter(self, number: int, step: str) -> Any:
        return lambda future: self._ended.put((number, step))

    def _settle(self, number: int, step: str) -> None:
        journey = self._journeys[number]
        journey.settle(step)
        if step in journey.stages:
            tell(StageEnded(run_id=journey.request.run_id, name=journey.name, stage=journey.stages[step]))
        self._look_for_steps(number)
        if not journey.under_way:
            outcome = self._outcomes[number] = journey.close()
            get_run_logger().info("%s: %s in %.1f s", outcome.name, VERDICTS[outcome.status], outcome.seconds)
            tell(PackEnded(outcome=outcome))
