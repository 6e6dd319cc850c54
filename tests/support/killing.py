"""The command in a process of its own, killed without warning."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

PATIENCE_S = 120
REPOSITORY = Path(__file__).parents[2]
COMMAND = [sys.executable, "-c", "import sys; from flows.command import main; sys.exit(main())"]


def command(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command to its end."""
    return subprocess.run(
        [*COMMAND, *arguments],
        cwd=REPOSITORY,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


def kill_after(stage: str, root: Path, *arguments: str, **environment: str) -> str:
    """Run the command and kill it as soon as the ledger of a store says that a stage ended; return the run's id."""
    process = subprocess.Popen(
        [*COMMAND, *arguments],
        cwd=REPOSITORY,
        env={**os.environ, **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    deadline = time.monotonic() + PATIENCE_S
    try:
        while not (found := list(root.glob(f"runs/*/stage-{stage}.json"))):
            assert process.poll() is None, "it ended by itself"
            assert time.monotonic() < deadline, f"stage {stage} never ended"
            time.sleep(0.002)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait(PATIENCE_S)
    return found[0].parent.name
