"""Prefect flows that compose the stage tasks, and the `assay` command.

    from flows import run_packs
    from flows.requests import requests_for

    outcomes = run_packs(requests_for(["packs"]))

Importing this package imports nothing else: `assay validate` passes through here on its way to a verdict in a second.
The flows themselves, `flows.validate_pack` and `flows.validate_batch`, import Prefect.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.lazy import at_first_use

if TYPE_CHECKING:
    from flows.embedded_server import ServerUnavailable
    from flows.outcome import PackOutcome, StageOutcome
    from flows.progress import PackEnded, Progress, ServerStarting, StageEnded
    from flows.running import run_packs

__all__ = [
    "PackEnded",
    "PackOutcome",
    "Progress",
    "ServerStarting",
    "ServerUnavailable",
    "StageEnded",
    "StageOutcome",
    "run_packs",
]

__getattr__ = at_first_use(
    __name__,
    {
        "flows.embedded_server": ("ServerUnavailable",),
        "flows.outcome": ("PackOutcome", "StageOutcome"),
        "flows.progress": ("PackEnded", "Progress", "ServerStarting", "StageEnded"),
        "flows.running": ("run_packs",),
    },
)
