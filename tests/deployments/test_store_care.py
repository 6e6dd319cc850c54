"""The commands for retrying and for care of the store, as the operator's guide prints them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from assay.artifacts.ledger import Ledger
from assay.pipeline import stages_from
from tests.support.packs import TINY_LIBRARY
from tests.support.stores import run_once

REPOSITORY = Path(__file__).parents[2]
GUIDE = REPOSITORY / "deployments" / "README.md"


def blocks_with(word: str) -> str:
    """Return the shell blocks of the guide that call a subcommand."""
    blocks = re.findall(r"^ *```sh\n(.*?)^ *```", GUIDE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    return "\n".join(block for block in blocks if f"assay {word} " in block)


@pytest.fixture
def shell(tmp_path):
    """Give a function that runs a block of the guide on a store with one run."""
    root = tmp_path / "store"
    run_id, _ = run_once(TINY_LIBRARY, root)
    command = tmp_path / "bin" / "assay"
    command.parent.mkdir()
    command.write_text(f"#!{sys.executable}\nimport sys\nfrom flows.command import main\nsys.exit(main())\n")
    command.chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{command.parent}:{os.environ['PATH']}",
        "PYTHONPATH": str(REPOSITORY),
        "ASSAY_ROOT": str(root),
        "RUN": run_id,
    }

    def run(block: str) -> str:
        shown = subprocess.run(
            ["/bin/sh", "-eu", "-c", block], env=environment, capture_output=True, text=True, timeout=120, check=False
        )
        assert shown.returncode == 0, shown.stdout + shown.stderr
        return shown.stdout

    return root, run_id, run


def test_the_commands_for_retrying_run_as_printed(shell):
    root, run_id, run = shell
    block = blocks_with("retry")
    assert block.count("assay retry") == 2
    shown = run(block)
    assert "first run of this pack" in shown
    runs = sorted(Ledger(root).runs(), key=lambda each: each["started"])
    assert [each["request"]["retry_of"] for each in runs] == [None, run_id, run_id]
    again = Ledger(root).read_stages(runs[-1]["run_id"])
    assert {stage for stage, record in again.items() if record["reason"] == "asked"} == stages_from("replay")


def test_the_commands_for_care_run_as_printed(shell):
    _, _, run = shell
    block = blocks_with("store")
    assert block.count("assay store") == 4
    shown = run(block)
    assert "0 errors, 0 warnings" in shown
    assert "would be removed: 0 runs" in shown
