"""Disturbing runs, and holding what a retry leaves against an undisturbed run.

Children are forked from a server process that has imported assay once (multiprocessing's `forkserver`), so that twenty
of them do not cost twenty times an import. Each carries out a run by itself, as `assay validate` does, and says how far
it has come.
"""

from __future__ import annotations

import multiprocessing
import os
import resource
import signal
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from assay.artifacts.ledger import Ledger, new_run_id
from assay.artifacts.store import Store, read_artifact
from assay.pipeline import PIPELINE
from assay.runner import RunError, RunRequest, carry_out
from tests.support.packs import TINY_LIBRARY
from tests.support.tables import tables_below

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

PATIENCE_S = 60
BEGUN = "begun"
ENDED = "ended"

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["assay.runner", "tests.faults.driver"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Undisturbed:
    """What a run leaves that nothing disturbs: its tables, and how long each stage took."""

    tables: Mapping[str, bytes]
    seconds: Mapping[str, float]


def undisturbed_run(root: Path) -> Undisturbed:
    request = RunRequest(pack=str(TINY_LIBRARY), root=str(root))
    assert carry_out(request).status == "gold"
    records = Ledger(root).read_stages(request.run_id)
    return Undisturbed(
        tables=tables_below(root), seconds={stage: record["seconds"] for stage, record in records.items()}
    )


def require_recovery(root: Path, undisturbed: Undisturbed) -> set[str]:
    """Run again; require the tables of an undisturbed run, computing no more than what is not whole. Return that."""
    there = whole_stages(root)
    statuses = run_again(root)
    assert {stage for stage, status in statuses.items() if status == "cached"} == there
    assert tables_below(root) == undisturbed.tables
    return statuses.keys() - there


def run_again(root: Path) -> dict[str, str]:
    """Carry the run out in this process; return stage -> status."""
    request = RunRequest(pack=str(TINY_LIBRARY), root=str(root), run_id=new_run_id())
    assert carry_out(request).status == "gold"
    records = Ledger(root).read_stages(request.run_id)
    assert records.keys() == {stage.name for stage in PIPELINE}
    return {stage: record["status"] for stage, record in records.items()}


def whole_stages(root: Path) -> set[str]:
    """Return the stages whose artifact a reader would take for whole."""
    found = (read_artifact(path) for path in Store(root).files())
    return {artifact.stage for artifact in found if artifact is not None}


@contextmanager
def running(root: Path, **options: int) -> Iterator[tuple[BaseProcess, Connection]]:
    """Carry a run out in a process of its own; give the process, and where it says how far it has come."""
    ours, theirs = _CONTEXT.Pipe(duplex=False)
    process = _CONTEXT.Process(target=_carry_out, args=(theirs, str(root)), kwargs=options)
    process.start()
    theirs.close()
    try:
        yield process, ours
    finally:
        process.kill()
        process.join(PATIENCE_S)
        process.close()
        ours.close()


def _carry_out(tell: Connection, root: str, file_size: int | None = None) -> None:
    """Carry a run out and tell `BEGUN`, each stage as it ends, and at the end `ENDED` or what went wrong."""
    if file_size is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (file_size, resource.RLIM_INFINITY))
    tell.send(BEGUN)
    try:
        carry_out(RunRequest(pack=str(TINY_LIBRARY), root=root), lambda reference: tell.send(reference.stage))
    except RunError as error:
        tell.send(str(error))
    else:
        tell.send(ENDED)


def wait_for(word: str, progress: Connection) -> None:
    """Wait until a run has come so far."""
    while True:
        assert progress.poll(PATIENCE_S), f"{word} never came"
        if progress.recv() == word:
            return


def last_word(progress: Connection) -> str:
    """Wait for the end of a run; return what it said last."""
    word = BEGUN
    while True:
        assert progress.poll(PATIENCE_S), f"nothing came after {word}"
        try:
            word = progress.recv()
        except EOFError:
            return word


def kill_and_require_no_orphan(pid: int) -> None:
    """Kill a process; require that all that it has started ends with it."""
    os.kill(pid, signal.SIGSTOP)
    family = descendants(pid)
    os.kill(pid, signal.SIGKILL)
    deadline = time.monotonic() + PATIENCE_S
    while left := [each for each in family if _is_alive(each)]:
        assert time.monotonic() < deadline, f"left behind: {left}"
        time.sleep(0.02)


Process = tuple[int, str]
"""A process id, and when that process started: ids come back."""


def descendants(pid: int) -> list[Process]:
    """Return all processes below one."""
    parents: dict[int, list[Process]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        facts = _facts(int(folder.name))
        if facts is not None:
            parents.setdefault(int(facts[1]), []).append((int(folder.name), facts[19]))
    found: list[Process] = []
    waiting = [pid]
    while waiting:
        children = parents.get(waiting.pop(), [])
        found.extend(children)
        waiting.extend(child for child, _ in children)
    return found


def _is_alive(process: Process) -> bool:
    facts = _facts(process[0])
    return facts is not None and facts[19] == process[1] and facts[0] not in {"Z", "X"}


def _facts(pid: int) -> list[str] | None:
    """Return the fields of `/proc/PID/stat` from the third on: state, parent, ... start time; None when it is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
