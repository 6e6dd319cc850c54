import json
import time

from assay.artifacts.ledger import Ledger, StageRecord, new_run_id


def record(**changed):
    facts = {
        "stage": "bind",
        "status": "computed",
        "key": "k",
        "path": "/p",
        "final": True,
        "started": "2026-01-01T00:00:00+00:00",
        "seconds": 0.5,
        "worker": "host:1",
    }
    return StageRecord(**{**facts, **changed})


def test_a_run_and_its_stages_are_read_back(tmp_path):
    ledger = Ledger(tmp_path)
    ledger.write_run("r1", {"status": "running"})
    ledger.write_stage("r1", record())
    ledger.write_stage("r1", record(stage="plan", status="crashed", key=None, path=None, error="no space"))
    assert ledger.read_run("r1") == {"run_id": "r1", "status": "running"}
    stages = ledger.read_stages("r1")
    assert stages["bind"]["status"] == "computed"
    assert stages["plan"]["error"] == "no space"


def test_a_record_of_its_own_counts_before_one_among_all(tmp_path):
    ledger = Ledger(tmp_path)
    ledger.write_stages("r1", [record(status="cached"), record(stage="plan", status="cached")])
    ledger.write_stage("r1", record(stage="plan", status="crashed", error="no space"))
    assert {stage: each["status"] for stage, each in ledger.read_stages("r1").items()} == {
        "bind": "cached",
        "plan": "crashed",
    }
    assert [ledger.file_of("r1", stage) for stage in ("bind", "plan")] == ["stages.json", "stage-plan.json"]


def test_runs_come_newest_first_and_damaged_ones_are_passed_over(tmp_path):
    ledger = Ledger(tmp_path)
    for run_id in ("20260101T000000-a", "20260103T000000-b", "20260102T000000-c"):
        ledger.write_run(run_id, {"status": "gold"})
    (ledger.folder("20260102T000000-c") / "run.json").write_text(json.dumps({"status": "gold"})[:-3])
    assert [run["run_id"] for run in ledger.runs()] == ["20260103T000000-b", "20260101T000000-a"]


def test_an_unknown_run_is_none(tmp_path):
    assert Ledger(tmp_path).read_run("nothing") is None
    assert list(Ledger(tmp_path).runs()) == []


def test_run_ids_sort_by_time_and_do_not_repeat():
    ids = [new_run_id() for _ in range(50)]
    assert len(set(ids)) == 50
    assert [each[:20] for each in ids] == sorted(each[:20] for each in ids)


def test_runs_of_the_same_second_stand_in_their_order():
    first = new_run_id()
    time.sleep(0.001)
    assert new_run_id() > first
