"""Finding and killing all processes that a worker has started.

The worker's session and group die with one signal. Where pack code may start processes, a child can leave the group
(`setsid`) and its parent (a double fork). Such a worker adopts orphans (`PR_SET_CHILD_SUBREAPER`), so as long as it
lives they are found below it; and forked processes keep the command line that they were forked with, which ends in a
mark of the worker, so they are found even when the worker ended first. What escapes is a process that left the session,
outlived the worker and changed its command line; a worker that may start no processes has no such child.

Without `/proc` only the group is killed.
"""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_PROC: Final = Path("/proc")
_ROUNDS: Final = 50
_LONGEST_DEATH_S: Final = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Process:
    pid: int
    parent: int
    session: int
    marked: bool


def kill_group(leader: int) -> None:
    """Kill a process group. Its leader must not have been reaped yet, or the number may belong to others."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


def kill_family(leader: int, mark: str) -> None:
    """Kill a worker, its session, all its descendants and everything that carries its mark.

    All are stopped before any is killed: a stopped process starts no other, and as long as the worker is there its
    descendants can be told by their parents. Returns when all are dead (or after a second: the system may be slow).
    """
    members: set[int] = set()
    for _ in range(_ROUNDS):
        new = family(leader, mark) - members
        if not new:
            break
        _signal_all(new, signal.SIGSTOP)
        members |= new
    _signal_all(members, signal.SIGKILL)
    kill_group(leader)
    deadline = time.monotonic() + _LONGEST_DEATH_S
    while any(map(is_alive, members)) and time.monotonic() < deadline:
        time.sleep(0.001)


def family(leader: int, mark: str) -> set[int]:
    """Return the living processes that belong to a worker."""
    processes = list(_living(mark.encode() + b"\0"))
    members = {each.pid for each in processes if leader in (each.pid, each.session) or each.marked}
    while children := {each.pid for each in processes if each.parent in members} - members:
        members |= children
    return members


def is_alive(pid: int) -> bool:
    """Say whether a process exists and has not ended."""
    if _PROC.is_dir():
        return any(True for _ in _living(b"", pid))
    with suppress(ProcessLookupError):
        os.kill(pid, 0)
        return True
    return False


def _living(mark: bytes, pid: int | None = None) -> Iterator[_Process]:
    """Read the process table, or one entry of it. Processes that end meanwhile are passed over."""
    for entry in _PROC.glob("[0-9]*" if pid is None else str(pid)):
        try:
            command = (entry / "cmdline").read_bytes()
            state, parent, _, session = (entry / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()[:4]
        except OSError:
            continue
        if state not in "ZX":
            yield _Process(pid=int(entry.name), parent=int(parent), session=int(session), marked=mark in command)


def _signal_all(members: Iterable[int], number: signal.Signals) -> None:
    for pid in members:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)
