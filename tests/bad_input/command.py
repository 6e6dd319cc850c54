"""`assay validate` as a real process that is watched: its streams, exit code, time, memory, what it leaves behind."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

GIVEN_UP_S: Final = 120.0
_COMMAND: Final = (sys.executable, "-c", "import sys; from flows.command import main; sys.exit(main())")
_SOURCE: Final = Path(__file__).resolve().parents[2]
_WITNESS: Final = """
import os, sys
facts = sys.argv[1]
child = os.spawnv(os.P_NOWAIT, sys.argv[2], sys.argv[2:])
_, status, usage = os.wait4(child, 0)
with open(facts, "w") as file:
    file.write(f"{os.waitstatus_to_exitcode(status)} {usage.ru_maxrss}")
"""
"""Starts the command and notes its exit code and its peak of memory, in KiB, its own children included.

A process of its own does this because the peak that the system reports begins with the size of the process that forked.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """What a run of the command did.

    Attributes:
        exit_code: negative: the signal that ended it.
        seconds: wall-clock time.
        peak_bytes: the largest resident set of it or of any process that it waited for.
        left: paths of what it made, changed or removed outside its output folder.
    """

    exit_code: int
    stdout: str
    stderr: str
    seconds: float
    peak_bytes: int
    left: tuple[str, ...]

    @property
    def report(self) -> dict[str, Any]:
        """The one JSON object on standard output."""
        facts: dict[str, Any] = json.loads(self.stdout)
        return facts

    @property
    def codes(self) -> list[str]:
        """The codes of the report's findings."""
        return [each["code"] for each in self.report["findings"]]


@dataclass(frozen=True, slots=True)
class Desk:
    """A folder with a home, a place for temporary files, a place for packs and one for output, all of them empty.

    Only the output folder may look different after a run. One thing is let pass: workers mount their scratch folders
    over empty folders `assay-<user id>/*`, which stay behind among the temporary files (`assay.oracle.scratch`).
    """

    root: Path
    watched: tuple[str, ...] = field(default=("home", "tmp", "packs"))

    @classmethod
    def set_up(cls, root: Path) -> Desk:
        desk = cls(root)
        for name in desk.watched:
            (root / name).mkdir()
        return desk

    @property
    def packs(self) -> Path:
        """Where a test puts its packs and run configs."""
        return self.root / "packs"

    @property
    def output(self) -> Path:
        return self.root / "output"

    def validate(self, *arguments: object) -> Observed:
        """Run `assay validate --json` into the output folder and watch it."""
        return self.run("validate", *arguments, "--json", "--output-dir", self.output)

    def run(self, *arguments: object) -> Observed:
        """Run the command and watch it."""
        before = self._listing()
        facts, *streams = (self.root / name for name in ("facts", "stdout", "stderr"))
        with streams[0].open("wb") as stdout, streams[1].open("wb") as stderr:
            clock = time.monotonic()
            witness = subprocess.Popen(
                [sys.executable, "-IS", "-c", _WITNESS, facts, *_COMMAND, *map(str, arguments)],
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                cwd=self.root,
                env=self._environment(),
                start_new_session=True,
            )
            _await_end(witness)
            seconds = time.monotonic() - clock
        exit_code, peak_kib = map(int, facts.read_text().split())
        after = self._listing()
        changed = [name for name in sorted(before.keys() | after.keys()) if before.get(name) != after.get(name)]
        return Observed(
            exit_code=exit_code,
            stdout=streams[0].read_text(encoding="utf-8"),
            stderr=streams[1].read_text(encoding="utf-8"),
            seconds=seconds,
            peak_bytes=peak_kib * 1024,
            left=tuple(changed),
        )

    def _environment(self) -> Mapping[str, str]:
        return {
            "HOME": str(self.root / "home"),
            "TMPDIR": str(self.root / "tmp"),
            "PATH": "/usr/bin:/bin",
            "PYTHONPATH": str(_SOURCE),
        }

    def _listing(self) -> dict[str, tuple[int, int, int]]:
        """Return path -> mode, size and time of change, of everything that the command must leave alone."""
        mounts = self.root / "tmp" / f"assay-{os.geteuid()}"
        passed = {str(mounts.parent), str(mounts), *(str(each) for each in mounts.glob("*") if not any(each.iterdir()))}
        return {
            path: (facts.st_mode, facts.st_size, facts.st_mtime_ns)
            for name in self.watched
            for path, facts in _walk(str(self.root / name))
            if path not in passed
        }


def _walk(folder: str) -> Iterator[tuple[str, os.stat_result]]:
    """Yield everything below a folder, the folder itself included, as far as the system bears the names."""
    waiting = [folder]
    while waiting:
        path = waiting.pop()
        with suppress(OSError):
            facts = os.lstat(path)
            yield path, facts
            if stat.S_ISDIR(facts.st_mode):
                with os.scandir(path) as entries:
                    waiting += [entry.path for entry in entries]


def _await_end(process: subprocess.Popen[bytes]) -> None:
    """Wait for a process; end it with its whole group when it takes too long, which fails the test."""
    try:
        process.wait(GIVEN_UP_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise
