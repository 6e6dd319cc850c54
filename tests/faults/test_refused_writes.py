"""A disk that refuses to take an artifact costs that artifact, and nothing that is there already."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.driver import ENDED, last_word, require_recovery, running, whole_stages


def test_files_that_may_not_grow(undisturbed, tmp_path):
    """Each attempt may write a little more; what one has finished the next does not compute again."""
    crashes = []
    there = set()
    for file_size in range(2048, 64 * 1024, 2048):
        with running(tmp_path, file_size=file_size) as (_, progress):
            word = last_word(progress)
        assert there <= whole_stages(tmp_path)
        there = whole_stages(tmp_path)
        if word == ENDED:
            break
        crashes.append(word)
    assert word == ENDED
    assert len(crashes) >= 2
    assert all("File too large" in each for each in crashes), crashes
    assert require_recovery(tmp_path, undisturbed) == set()


GROWING_DISK = """
import json, subprocess, sys
from pathlib import Path
from assay.runner import RunError
from tests.faults.driver import run_again, tables_below, whole_stages

folder = Path(sys.argv[1])
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", folder], check=True)
crashes, there, repeated = [], set(), set()
for size in range(128, 4096, 64):  # the records of an attempt take up to 52 kB of it
    try:
        statuses = run_again(folder)
    except RunError as error:
        crashes.append(str(error))
    else:
        break
    now = whole_stages(folder)
    repeated |= there - now
    there = now
    subprocess.run(["mount", "-o", f"remount,size={size}k", folder], check=True)
facts = {
    "crashes": crashes,
    "lost": sorted(repeated),
    "there": sorted(there),
    "cached": sorted(stage for stage, status in statuses.items() if status == "cached"),
    "tables": {name: data.hex() for name, data in tables_below(folder).items()},
}
json.dump(facts, sys.stdout)
"""


def may_mount() -> bool:
    tried = ["unshare", "--mount", "mount", "-t", "tmpfs", "none", "/mnt"]
    return os.geteuid() == 0 and subprocess.run(tried, capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not may_mount(), reason="mounting a small disk needs root with CAP_SYS_ADMIN")
def test_a_full_disk(undisturbed, tmp_path):
    command = ["unshare", "--mount", sys.executable, "-c", GROWING_DISK, str(tmp_path)]
    here = Path(__file__).parents[2]
    shown = subprocess.run(command, cwd=here, capture_output=True, text=True, check=True, timeout=300)
    facts = json.loads(shown.stdout)
    assert len(facts["crashes"]) >= 2
    assert all("No space left on device" in each for each in facts["crashes"]), facts["crashes"]
    assert facts["lost"] == []
    assert facts["cached"] == facts["there"]
    assert {name: bytes.fromhex(data) for name, data in facts["tables"].items()} == undisturbed.tables
