"""The time that a run is given.

Nobody can stop a thread, so the end of a run's time does what ends its work: it kills the workers of its engine. The
thread that waits for them finds them gone, and whatever it makes of that (a finding, an error) is thrown away. Work
of our own code is not broken off: it is bounded by the size of a pack, and the run ends when it returns.

Time is counted by a clock that nobody sets, from when this process took the run up; whoever hands stages to several
processes gives each what is left.
"""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from assay.runner.errors import DeadlinePassed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Deadline:
    """Ends the work of a run when its time is over. Nothing happens before `start`.

    Args:
        seconds: from now on; None for as long as it takes.
        stop: ends the work; called in a thread of its own.
    """

    def __init__(self, seconds: float | None, stop: Callable[[], None]) -> None:
        self._moment = None if seconds is None else time.monotonic() + seconds
        self._stop = stop
        self._timer: threading.Timer | None = None

    @property
    def passed(self) -> bool:
        """Whether the time is over."""
        return self._moment is not None and time.monotonic() >= self._moment

    def start(self) -> None:
        """Begin to watch the clock."""
        if self._moment is not None:
            self._timer = threading.Timer(max(self._moment - time.monotonic(), 0.0), self._stop)
            self._timer.daemon = True
            self._timer.start()

    def cancel(self) -> None:
        """Watch no longer."""
        if self._timer is not None:
            self._timer.cancel()

    def require(self) -> None:
        """Refuse to go on when the time is over.

        Raises:
            DeadlinePassed: then.
        """
        if self.passed:
            raise DeadlinePassed("the time that this run was given is over")

    @contextmanager
    def enforced(self) -> Iterator[None]:
        """Let nothing begin when the time is over, and call whatever goes wrong after that by its name.

        Raises:
            DeadlinePassed: instead of what the block raises, when the time is over by then.
        """
        self.require()
        try:
            yield
        except Exception:
            self.require()
            raise
