"""Several lanes that share one stream of work and give it back in order.

Which lane a unit of work gets depends on its position alone, never on the machine: what ran before it in the same
worker, and so the evidence of a backend that leaks, is the same whatever the number of cores. A stream begins with one
lane and gets more as it grows, because a worker costs as much as a hundred short episodes.

Positions go round the lanes one by one. So the answers are taken from all lanes in turn, and none of them has to wait
with a full pipe while another is read out.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from assay.oracle.lane import Work

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.oracle.lane import Lane

MOST_LANES: Final = 4
"""For one attempt. With the shortest episodes our own process is what is waited for from three workers on (it spends a
third of what a worker does); slower backends keep them all busy."""
_LANES_UNTIL: Final = ((512, 1), (2048, 2))
"""Up to which position how many lanes share the work."""
CHUNK: Final = 64
"""How many units of work are run in reversed order at a time."""

W = TypeVar("W", bound=Work)


class Team(Generic[W]):
    """Runs work over several lanes.

    Args:
        new_lane: starts a lane.
    """

    def __init__(self, new_lane: Callable[[], Lane[W]]) -> None:
        self._new_lane = new_lane
        self._lanes: list[Lane[W]] = []
        self._due: deque[Lane[W]] = deque()
        self._dealt = 0

    @property
    def has_room(self) -> bool:
        """Whether more work may be added."""
        number = lane_number(self._dealt)
        return number == len(self._lanes) or self._lanes[number].has_room

    @property
    def is_empty(self) -> bool:
        """Whether no work is left."""
        return not self._due

    def prepare(self) -> None:
        """Start the first worker, so that it is ready when work arrives."""
        self._next_lane()

    def add(self, work: W) -> None:
        """Put work at the end of the stream."""
        lane = self._next_lane()
        self._dealt += 1
        self._due.append(lane)
        lane.add(work)

    def push(self) -> None:
        """Send what may be sent already, without waiting."""
        for lane in self._lanes:
            lane.push()

    def next(self) -> W:
        """Bring the work at the front of the stream to its end and take it off."""
        return self._due.popleft().next()

    def close(self) -> None:
        """End all workers, whether or not work is left."""
        for lane in self._lanes:
            lane.close()
        self._due.clear()

    def _next_lane(self) -> Lane[W]:
        number = lane_number(self._dealt)
        if number == len(self._lanes):
            self._lanes.append(self._new_lane())
        return self._lanes[number]


class ReversingTeam(Generic[W]):
    """A team that runs its work in reversed chunks, and gives it back in the order in which it was added.

    Args:
        team: runs the work.
    """

    def __init__(self, team: Team[W]) -> None:
        self._team = team
        self._collected: list[W] = []
        self._dealt: deque[int] = deque()
        self._restored: deque[W] = deque()

    @property
    def has_room(self) -> bool:
        """Whether more work may be added: while one chunk is run, the next one is collected."""
        return len(self._collected) + sum(self._dealt) + len(self._restored) < 2 * CHUNK

    @property
    def is_empty(self) -> bool:
        """Whether no work is left."""
        return not (self._collected or self._dealt or self._restored)

    def prepare(self) -> None:
        """Start the first worker, so that it is ready when work arrives."""
        self._team.prepare()

    def add(self, work: W) -> None:
        """Put work at the end of the stream."""
        self._collected.append(work)
        if len(self._collected) == CHUNK:
            self._deal()

    def push(self) -> None:
        """Send what may be sent already, without waiting."""
        self._team.push()

    def next(self) -> W:
        """Bring the work at the front of the stream to its end and take it off; its whole chunk is run for that."""
        if not self._restored:
            if not self._dealt:
                self._deal()
            size = self._dealt.popleft()
            self._restored.extendleft([self._team.next() for _ in range(size)])
        return self._restored.popleft()

    def close(self) -> None:
        """End all workers, whether or not work is left."""
        self._team.close()

    def _deal(self) -> None:
        for work in reversed(self._collected):
            self._team.add(work)
        self._dealt.append(len(self._collected))
        self._collected.clear()


def lane_number(position: int) -> int:
    """Return which lane runs the work at a position of a stream."""
    lanes = next((lanes for until, lanes in _LANES_UNTIL if position < until), MOST_LANES)
    return position % lanes
