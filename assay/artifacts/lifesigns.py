"""Whether a run that has not ended is still under way, or broke off without a chance to say so.

A process that was killed writes nothing. Where the ledger names a process of this host that carried out the whole run
by itself, it is asked for. Otherwise (stages wherever Prefect put them, other hosts) the run counts as under way as
long as it has shown signs of life within a day: no stage takes that long.
"""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING, Any, Final

from assay.artifacts.ledger import DIRECT, RUNNING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.artifacts.ledger import Ledger

_SILENCE_S: Final = 24 * 3600


def is_under_way(ledger: Ledger, run: Mapping[str, Any], now: float) -> bool:
    """Say whether something may still happen in a run.

    Args:
        ledger: the ledger that it is in.
        run: its facts.
        now: seconds since the epoch.
    """
    if run.get("status") != RUNNING:
        return False
    host, _, process = str(run.get("worker", "")).rpartition(":")
    if run.get("road") == DIRECT and host == socket.gethostname():
        return _is_alive(int(process))
    return now - last_sign(ledger, run["run_id"]) < _SILENCE_S


def broke_off(ledger: Ledger, run: Mapping[str, Any], now: float) -> bool:
    """Say whether a run ended without saying so: its process was killed, or its machine went down."""
    return run.get("status") == RUNNING and not is_under_way(ledger, run, now)


def last_sign(ledger: Ledger, run_id: str) -> float:
    """Return when a run last wrote something, in seconds since the epoch; 0 when there is nothing of it."""
    times = []
    for path in ledger.folder(run_id).glob("*"):
        try:
            times.append(path.stat().st_mtime)
        except FileNotFoundError:  # replaced at this moment
            continue
    return max(times, default=0.0)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
