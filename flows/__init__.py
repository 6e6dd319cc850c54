"""Prefect flows that compose the stage tasks, and the `assay` command.

    from flows import run_packs
    from flows.requests import requests_for

    outcomes = run_packs(requests_for(["packs"]))

Importing this package imports nothing else: `assay validate` passes through here on its way to a verdict in a second.
The flows themselves, `flows.validate_pack` and `flows.validate_batch`, import Prefect.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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

_HOMES = {
    "PackEnded": "flows.progress",
    "PackOutcome": "flows.outcome",
    "Progress": "flows.progress",
    "ServerStarting": "flows.progress",
    "ServerUnavailable": "flows.embedded_server",
    "StageEnded": "flows.progress",
    "StageOutcome": "flows.outcome",
    "run_packs": "flows.running",
}


def __getattr__(name: str) -> Any:
    """Import a public name at its first use."""
    from importlib import import_module  # noqa: PLC0415 - only for names that are asked for

    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
