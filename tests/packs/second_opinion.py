"""Runs the scripts that read a pack without assay, each in a fresh interpreter, and returns what they print."""

import os
import subprocess
import sys
from pathlib import Path


def run_cases(pack, **environment):
    """Run a pack's validation cases against its backend; see `run_cases.py`."""
    return _run("run_cases.py", pack, environment)


def run_templates(pack, **environment):
    """Play and tamper with all conversations of a pack; see `run_templates.py`."""
    return _run("run_templates.py", pack, environment)


def _run(script, pack, environment):
    finished = subprocess.run(
        [sys.executable, "-B", str(Path(__file__).with_name(script)), str(pack)],
        env={**os.environ, **environment},
        capture_output=True,
        check=False,
        text=True,
    )
    assert finished.returncode == 0, finished.stderr
    return finished.stdout
