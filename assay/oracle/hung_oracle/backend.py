"""An oracle whose one tool never returns and has a child that leaves its group: what check T1 has to kill."""

from __future__ import annotations

import os
import time

_CHILD_S = 8
"""Longer than anybody looks for the child, yet not for ever: our own process may be killed while the call hangs."""


def list_tools() -> list[str]:
    """Name the one tool."""
    return ["sleep_forever"]


def reset(*, ctx: object, fixtures: object) -> None:
    """Have nothing to reset."""


def call_tool(name: str, arguments: object, *, ctx: object) -> None:
    """Start a child in a session of its own, print its process id, and sleep for ever; the child sleeps long."""
    child = os.fork()
    if child == 0:
        os.setsid()
        time.sleep(_CHILD_S)
        os._exit(0)
    print(child, flush=True)  # noqa: T201 - this is how our process learns it
    while True:
        time.sleep(3600)


def get_state() -> dict[str, object]:
    """Have no state."""
    return {}
