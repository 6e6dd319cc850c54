"""Where a worker was when it hung or crashed.

The worker's `faulthandler` writes its Python stack into a file that we hold: upon a fatal signal by itself, and when we
ask with a signal, which works in the middle of C code as well. The stack names files and lines, not columns.
"""

from __future__ import annotations

import os
import re
import signal
import tempfile
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from assay.oracle.faults import Frame

if TYPE_CHECKING:
    from pathlib import Path

_FRAME: Final = re.compile(r'^  File "(.*)", line (\d{1,9}) in (.*)$', re.MULTILINE)
_WAIT_S: Final = 0.1
_STEP_S: Final = 0.005
_MOST_BYTES: Final = 1 << 16


class CrashReport:
    """The file that a worker's stack is written to. It has no name, so nothing has to be removed."""

    def __init__(self, folder: Path) -> None:
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - closed by `close`

    def fileno(self) -> int:
        """Return the descriptor that the worker inherits."""
        return self._file.fileno()

    def ask(self, pid: int) -> None:
        """Have a hanging worker write its stack, and wait a moment for it."""
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGUSR2)
        deadline = time.monotonic() + _WAIT_S
        size = 0
        while time.monotonic() < deadline:
            time.sleep(_STEP_S)
            before, size = size, os.fstat(self.fileno()).st_size
            if size and size == before:
                return

    def frames(self) -> tuple[Frame, ...]:
        """Return the frames that were written, outermost first."""
        text = os.pread(self.fileno(), _MOST_BYTES, 0).decode("utf-8", "replace")
        found = [Frame(file, int(line), None, function) for file, line, function in _FRAME.findall(text)]
        return tuple(reversed(found))

    def close(self) -> None:
        """Forget the report."""
        self._file.close()
