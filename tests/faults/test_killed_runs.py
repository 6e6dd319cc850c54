"""A run that is killed loses at most the stages that it had not finished."""

from __future__ import annotations

import random
import time

import pytest

from assay.artifacts.ledger import Ledger
from assay.artifacts.lifesigns import broke_off
from assay.pipeline import PIPELINE
from tests.faults.driver import BEGUN, kill_and_require_no_orphan, require_recovery, running, wait_for, whole_stages

STAGES = [stage.name for stage in PIPELINE]


@pytest.mark.parametrize("seed", range(20))
def test_a_run_killed_at_a_random_moment_is_taken_up(undisturbed, tmp_path, seed):
    """A moment is a stage and a share of the time that the stage takes undisturbed."""
    chance = random.Random(seed)
    number = chance.randrange(len(STAGES))
    with running(tmp_path) as (process, progress):
        wait_for(STAGES[number - 1] if number else BEGUN, progress)
        time.sleep(chance.random() * undisturbed.seconds[STAGES[number]])
        kill_and_require_no_orphan(process.pid)
    runs = list(Ledger(tmp_path).runs())
    assert len(runs) == 1 or number == 0, "only a run that has not begun is unknown to the ledger"
    run = runs[0] if runs else None
    assert run is None or broke_off(Ledger(tmp_path), run, time.time()) or number == len(STAGES) - 1
    finished = set() if run is None else set(Ledger(tmp_path).read_stages(run["run_id"]))
    assert finished <= whole_stages(tmp_path), "the ledger knows of an artifact that is not there"
    lost = require_recovery(tmp_path, undisturbed)
    assert not lost & set(STAGES[:number])
