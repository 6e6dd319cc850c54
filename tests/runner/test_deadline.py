"""A run that is given so many seconds, and takes longer."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from assay.artifacts.ledger import Ledger
from assay.runner import DeadlinePassed, Run, RunRequest, begin, carry_out, execute_stage
from assay.runner.at_hand import RunsAtHand
from assay.runner.deadline import Deadline
from tests.support.packs import TINY_LIBRARY, copy_of_tiny_library

HANGS = ("backend.py", "    return _TOOLS[name](arguments, ctx)", "    while True:\n        pass")


def test_without_a_moment_it_never_passes():
    deadline = Deadline(None, lambda: pytest.fail("nothing is to be stopped"))
    deadline.start()
    deadline.require()
    assert not deadline.passed


def test_at_its_moment_it_stops_the_work_and_whatever_goes_wrong_then_is_called_by_its_name():
    stopped = []
    deadline = Deadline(0.2, lambda: stopped.append("workers"))
    deadline.start()

    def work():
        while not stopped:
            time.sleep(0.01)
        raise OSError("a worker has died")

    with pytest.raises(DeadlinePassed), deadline.enforced():
        work()
    with pytest.raises(DeadlinePassed), deadline.enforced():
        pytest.fail("nothing begins afterwards")


def test_what_goes_wrong_in_time_keeps_its_name():
    deadline = Deadline(60.0, lambda: None)
    with pytest.raises(OSError, match="no space"), deadline.enforced():
        raise OSError("no space")


def test_a_cancelled_one_stops_nothing():
    deadline = Deadline(0.1, lambda: pytest.fail("it was cancelled"))
    deadline.start()
    deadline.cancel()
    time.sleep(0.2)


def test_a_pack_that_hangs_is_ended_without_a_verdict_and_its_results_are_thrown_away(tmp_path):
    pack = copy_of_tiny_library(tmp_path / "pack", HANGS)
    request = RunRequest(pack=str(pack), root=str(tmp_path / "store"), deadline_s=4.0)
    began = time.monotonic()
    with pytest.raises(DeadlinePassed):
        carry_out(request)
    assert time.monotonic() - began < 30  # one call of it would take five seconds, and it has dozens
    ledger = Ledger(tmp_path / "store")
    assert ledger.read_run(request.run_id)["status"] == "error"
    stages = ledger.read_stages(request.run_id)
    assert "crashed" in {each["status"] for each in stages.values()}
    crashed = [stage for stage, each in stages.items() if each["status"] == "crashed"]
    assert not [path for stage in crashed for path in (tmp_path / "store").rglob(f"stage={stage}/**/*.parquet")]


def test_the_deadline_is_no_part_of_any_key(tmp_path):
    request = RunRequest(pack=str(TINY_LIBRARY), root=str(tmp_path / "store"))
    carry_out(request)
    again = replace(request, run_id="20260101T000000-aaaaaa", deadline_s=600.0)
    carry_out(again)
    statuses = {each["status"] for each in Ledger(tmp_path / "store").read_stages(again.run_id).values()}
    assert statuses == {"cached"}


def test_a_step_in_its_own_process_begins_nothing_when_no_time_is_left(tmp_path):
    request = RunRequest(pack=str(TINY_LIBRARY), root=str(tmp_path / "store"), deadline_s=0.0)
    with pytest.raises(DeadlinePassed):
        execute_stage(request, "load", {})


def test_each_step_is_given_what_is_left_for_it(tmp_path):
    whole = RunRequest(pack=str(TINY_LIBRARY), root=str(tmp_path / "store"), deadline_s=600.0)
    begin(whole)
    assert execute_stage(whole, "load", {}).stage == "load"
    with pytest.raises(DeadlinePassed):
        execute_stage(replace(whole, deadline_s=0.0), "bind", {})


def test_a_pack_is_loaded_once_for_all_steps_of_a_run_and_again_for_another(tmp_path):
    known = RunsAtHand()
    request = RunRequest(pack=str(TINY_LIBRARY), root=str(tmp_path / "store"))
    run = known.take_up(request)
    known.put_back(run)
    assert known.take_up(request).loaded_already is None
    loaded = run.loaded
    known.put_back(run)
    assert known.take_up(request).loaded_already is loaded
    assert known.take_up(replace(request, run_id="another")).loaded_already is None


def test_only_the_latest_runs_are_remembered(tmp_path):
    known = RunsAtHand()
    first = known.take_up(RunRequest(pack=str(TINY_LIBRARY), root=str(tmp_path / "store"), run_id="first"))
    assert first.loaded
    known.put_back(first)
    for number in range(16):
        known.put_back(Run(replace(first.request, run_id=f"run-{number}"), loaded=first.loaded))
    assert known.take_up(first.request).loaded_already is None
