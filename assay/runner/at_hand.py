"""What this process knows of runs whose steps it executes, from one step to the next.

A step that lands in a process which has executed another one of the same run need not read the pack again: a dozen
steps would else load it two dozen times, which for a small pack is most of what they take. It also keeps the promise
that everything after loading sees the same pack.

The latest few runs are remembered. To forget one costs a reading, nothing else.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Final

from assay.runner.run import Run

if TYPE_CHECKING:
    from assay.pack.load import LoadResult
    from assay.runner.request import RunRequest

_RUNS_REMEMBERED: Final = 16


class RunsAtHand:
    """The packs of the runs that this process has met, as they were loaded. Several threads may use it at once."""

    def __init__(self) -> None:
        self._loaded: OrderedDict[str, LoadResult] = OrderedDict()
        self._lock = threading.Lock()

    def take_up(self, request: RunRequest) -> Run:
        """Return the run of a request, with its pack if that is known."""
        with self._lock:
            return Run(request, loaded=self._loaded.get(request.run_id))

    def put_back(self, run: Run) -> None:
        """Remember the pack of a run, if it has loaded it by now."""
        loaded = run.loaded_already
        if loaded is not None:
            with self._lock:
                self._loaded[run.request.run_id] = loaded
                self._loaded.move_to_end(run.request.run_id)
                while len(self._loaded) > _RUNS_REMEMBERED:
                    self._loaded.popitem(last=False)

    def forget(self, run_id: str) -> None:
        """Forget a run: it begins anew, or has ended."""
        with self._lock:
            self._loaded.pop(run_id, None)
