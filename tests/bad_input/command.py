"""`assay validate` as a real process that is watched: its streams, its exit code, its time, its memory, what it leaves."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import threading
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """What a run of the command did.

    Attributes:
        exit_code: negative: the signal that ended it.
        seconds: wall-clock time.
        peak_bytes: the largest resident set of it or of any process that it waited for.
        left: paths of files that it made or changed outside its output folder.
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
    """A folder with a home, a place for temporary files and an output folder, all of them empty."""

    root: Path
    watched: tuple[str, ...] = field(default=("home", "tmp", "packs"))

    @property
    def packs(self) -> Path:
        """Where a test puts its packs and run configs."""
        return self.root / "packs"

    @property
    def output(self) -> Path:
        return self.root / "output"

    @classmethod
    def set_up(cls, root: Path) -> Desk:
        desk = cls(root)
        for name in desk.watched:
            (root / name).mkdir()
        return desk

    def validate(self, *arguments: object, output_dir: Path | None = None) -> Observed:
        """Run `assay validate --json` into the output folder and watch it."""
        output = self.output if output_dir is None else output_dir
        return self.run("validate", *arguments, "--json", "--output-dir", output)

    def run(self, *arguments: object) -> Observed:
        """Run the command and watch it."""
        before = self._listing()
        streams = self.root / "stdout", self.root / "stderr"
        with streams[0].open("wb") as stdout, streams[1].open("wb") as stderr:
            clock = time.monotonic()
            process = subprocess.Popen(
                [*_COMMAND, *map(str, arguments)],
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                cwd=self.root,
                env=self._environment(),
                start_new_session=True,
            )
            exit_code, peak_bytes = _wait(process)
            seconds = time.monotonic() - clock
        after = self._listing()
        changed = [name for name in sorted(before.keys() | after.keys()) if before.get(name) != after.get(name)]
        return Observed(
            exit_code=exit_code,
            stdout=streams[0].read_text(encoding="utf-8"),
            stderr=streams[1].read_text(encoding="utf-8"),
            seconds=seconds,
            peak_bytes=peak_bytes,
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
        return {
            path: (facts.st_mode, facts.st_size, facts.st_mtime_ns)
            for name in self.watched
            for path, facts in _walk(str(self.root / name))
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


def _wait(process: subprocess.Popen[bytes]) -> tuple[int, int]:
    """Wait for the end of a process; return its exit code and the peak of its resident set in bytes."""
    alarm = threading.Timer(GIVEN_UP_S, lambda: os.killpg(process.pid, signal.SIGKILL))
    alarm.start()
    try:
        _, status, usage = os.wait4(process.pid, 0)
    finally:
        alarm.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_maxrss * 1024
