"""What this process knows of runs whose steps it executes, from one step to the next.

A step that lands in a process which has executed another one of the same run need not read the pack again: a dozen
steps would else load it two dozen times, which for a small pack is most of what they take. It also keeps the promise
that everything after loading sees the same pack. And it is where the run's time began for this process, so that what is
left need not be agreed upon with the clocks of others.

The latest few runs are remembered. To forget one costs a reading, nothing else.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from assay.runner.run import Run

if TYPE_CHECKING:
    from assay.pack.load import LoadResult
    from assay.runner.request import RunRequest

_RUNS_REMEMBERED: Final = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """What is known of a run: its pack as it was loaded, and by `time.monotonic` when its time is over."""

    loaded: LoadResult | None
    moment: float | None


class RunsAtHand:
    """The runs that this process has met. Several threads may use it at once."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, _Known] = OrderedDict()
        self._lock = threading.Lock()

    def take_up(self, request: RunRequest) -> Run:
        """Return the run of a request, with what is known of it."""
        moment = None if request.deadline_s is None else time.monotonic() + request.deadline_s
        with self._lock:
            known = self._known.get(request.run_id) or _Known(loaded=None, moment=moment)
            if moment is not None and known.moment is not None and moment < known.moment:
                known = replace(known, moment=moment)
            self._remember(request.run_id, known)
        return Run(request, loaded=known.loaded, moment=known.moment)

    def put_back(self, run: Run) -> None:
        """Remember the pack that a run has loaded by now."""
        loaded = run.loaded_already
        with self._lock:
            known = self._known.get(run.request.run_id)
            if known is not None and loaded is not None:
                self._remember(run.request.run_id, replace(known, loaded=loaded))

    def forget(self, run_id: str) -> None:
        """Forget a run: it begins anew, or has ended."""
        with self._lock:
            self._known.pop(run_id, None)

    def forget_pack(self, run_id: str) -> None:
        """Forget the pack of a run, but not when its time is over."""
        with self._lock:
            known = self._known.get(run_id)
            if known is not None:
                self._remember(run_id, replace(known, loaded=None))

    def _remember(self, run_id: str, known: _Known) -> None:
        self._known[run_id] = known
        self._known.move_to_end(run_id)
        while len(self._known) > _RUNS_REMEMBERED:
            self._known.popitem(last=False)
