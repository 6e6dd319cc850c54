"""Prefect flows that compose the stage tasks, and the `assay` command.

    from flows import run_packs
    from flows.requests import requests_for

    outcomes = run_packs(requests_for(["packs"]))

Importing this package does not import Prefect. The flows do: `flows.validate_pack` and `flows.validate_batch`.
"""

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
