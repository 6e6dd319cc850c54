"""Takes packs through their steps, inside one flow run.

A step is submitted only when everything it comes after is done, so that no thread or worker ever waits for another
step; how many may run at once is the conductor's own limit, whatever executes them (threads here, a Dask cluster
elsewhere). Where there is a choice, packs named earlier go first: packs are finished one after the other rather than
all at the end. A step that crashes costs its own pack the steps after it, and no other pack anything.

No pack may hold up the others. A step that takes long gives its place to another one, so that a few slow packs cannot
occupy all places; in all there are then at most twice as many steps as may run at once. A pack whose deadline has
passed begins no further step; the one under way is ended where it runs; should it not come back, it is not waited for.

All decisions are taken in the flow's own thread; completed tasks only put a message in a queue.
"""

from __future__ import annotations

import heapq
import time
from queue import Empty, SimpleQueue
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
_SLOW_S: Final = 2.0
"""After so long a step gives its place to another one. Most steps take a tenth of a second."""
_GRACE_S: Final = 15.0
"""How long after its pack's deadline a step may take to come back: its workers are killed, its state is recorded."""


def conduct(
    requests: Sequence[RunRequest], *, at_once: int, look_first: bool = False, here: bool = True
) -> list[PackOutcome]:
    """Take every pack as far as it goes; return what came of each, in the order of the requests.

    Args:
        requests: one for each pack.
        at_once: how many steps may run at the same time.
        look_first: serve packs of which everything is in the store in one step each, and keep no records of Prefect's.
        here: whether steps are executed in this process, and not on a cluster.
    """
    return _Conductor(requests, at_once, look_first=look_first, here=here).run()


class _Conductor:
    def __init__(self, requests: Sequence[RunRequest], at_once: int, *, look_first: bool, here: bool) -> None:
        roots = sorted({each.root for each in requests})
        tasks = {root: stage_tasks_for(root, with_records=not look_first) for root in roots}
        self._journeys = [
            Journey(
                request=each,
                name=name_of(each),
                tasks=tasks[each.root],
                looks_first=look_first,
                executed_here=here,
            )
            for each in requests
        ]
        self._outcomes: dict[int, PackOutcome] = {}
        self._at_once = at_once
        self._running: dict[tuple[int, str], float] = {}  # step -> since when
        self._ready: list[tuple[int, int, str]] = []
        self._ended: SimpleQueue[tuple[int, str]] = SimpleQueue()

    def run(self) -> list[PackOutcome]:
        for number in range(len(self._journeys)):
            self._look_for_steps(number)
        self._submit()
        while self._running:
            try:
                step = self._ended.get(timeout=self._patience_s())
            except Empty:
                self._give_up_the_late()
            else:
                if step in self._running:  # not given up meanwhile
                    del self._running[step]
                    self._settle(*step)
            self._submit()
        return [self._outcomes[number] for number in range(len(self._journeys))]

    def _look_for_steps(self, number: int) -> None:
        for step in self._journeys[number].take_ready():
            heapq.heappush(self._ready, (number, _ORDER[step], step))

    def _submit(self) -> None:
        while self._ready and self._has_place():
            number, _, step = heapq.heappop(self._ready)
            if self._journeys[number].is_late:
                self._journeys[number].give_up(step)
                self._close_if_done(number)
            else:
                self._running[number, step] = time.monotonic()
                future = self._journeys[number].submit(step)
                future.add_done_callback(self._reporter(number, step))

    def _has_place(self) -> bool:
        young = sum(time.monotonic() - since < _SLOW_S for since in self._running.values())
        return young < self._at_once and len(self._running) < 2 * self._at_once

    def _reporter(self, number: int, step: str) -> Any:
        return lambda future: self._ended.put((number, step))

    def _patience_s(self) -> float | None:
        """Return how long to wait for a message: until a step gives its place away, or a late one is given up."""
        left = (self._journeys[number].left_s for number, _ in self._running)
        moments = [each + _GRACE_S for each in left if each is not None]
        if self._ready:
            ages = (time.monotonic() - since for since in self._running.values())
            moments += [_SLOW_S - age for age in ages if age < _SLOW_S]
        return max(min(moments), 0.0) if moments else None

    def _give_up_the_late(self) -> None:
        for number, step in sorted(self._running):
            left_s = self._journeys[number].left_s
            if left_s is not None and left_s + _GRACE_S <= 0:
                del self._running[number, step]
                self._journeys[number].give_up(step)
                self._close_if_done(number)

    def _settle(self, number: int, step: str) -> None:
        journey = self._journeys[number]
        known = set(journey.stages)
        journey.settle(step)
        for stage in [each for each in journey.stages if each not in known]:
            tell(StageEnded(run_id=journey.request.run_id, name=journey.name, stage=journey.stages[stage]))
        self._look_for_steps(number)
        self._close_if_done(number)

    def _close_if_done(self, number: int) -> None:
        journey = self._journeys[number]
        if not journey.under_way:
            outcome = self._outcomes[number] = journey.close()
            get_run_logger().info("%s: %s in %.1f s", outcome.name, VERDICTS[outcome.status], outcome.seconds)
            tell(PackEnded(outcome=outcome))
