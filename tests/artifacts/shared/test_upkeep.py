"""Care of a store in an object store: what is looked at, and removed, is what others see there."""

from __future__ import annotations

import json
import time

import pytest

from assay.artifacts.ledger import new_run_id
from assay.artifacts.places import ledger_at
from assay.artifacts.shared.place import shared_place
from assay.artifacts.upkeep.cleaning import clean, plan_cleaning
from assay.artifacts.upkeep.premises import premises_at
from assay.artifacts.upkeep.retention import Policy
from assay.pipeline import PIPELINE
from assay.runner import RunRequest, carry_out
from flows.command.main import main
from tests.support.object_store import LOOPBACK
from tests.support.packs import TINY_LIBRARY, copy_of_tiny_library

pytestmark = pytest.mark.xdist_group("object store")

NOTHING_OLD = Policy(keep_days=0, keep_runs=1)
DAY_S = 24 * 3600


def run_once(pack, root):
    run_id = new_run_id()
    carry_out(RunRequest(pack=str(pack), root=root, run_id=run_id))
    return run_id


def told(capsys, *arguments):
    code = main(["store", *arguments, "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_a_whole_store_has_no_fault_on_whatever_machine_it_is_checked(bucket, machine, capsys):
    root = bucket.root("whole")
    run_once(TINY_LIBRARY, root)
    for name in ("first machine", "an operator's machine"):
        machine(name)
        code, facts = told(capsys, "check", "--root", root)
        assert (code, facts["status"], facts["faults"]) == (0, "whole", [])
        assert (facts["artifacts"], facts["runs"], facts["root"]) == (len(PIPELINE), 1, "s3://bucket/whole")


def test_damage_and_loss_are_found_though_the_mirror_is_whole(bucket, machine, capsys):
    root = bucket.root("harmed")
    run_id = run_once(TINY_LIBRARY, root)
    names = {
        name.split("/")[0].removeprefix("stage="): name for name in bucket.tables("harmed") if name.count(".") == 1
    }
    bucket.put("harmed", names["plan"], b"no table")
    bucket.delete("harmed", names["render"])
    code, facts = told(capsys, "check", "--root", root)
    assert code == 2
    assert [(each["kind"], each["path"]) for each in facts["faults"]] == [
        ("missing_artifact", f"runs/{run_id}/stage-render.json"),
        ("unreadable_artifact", names["plan"]),
    ]


def test_sizes_are_those_of_the_objects_and_nothing_is_fetched_for_them(bucket, machine, capsys):
    root = bucket.root("sized")
    run_once(TINY_LIBRARY, root)
    machine("an analyst's machine")
    _, facts = told(capsys, "sizes", "--root", root)
    contents = bucket.contents("sized")
    assert facts["total_bytes"] == sum(map(len, contents.values()))
    assert {row["stage"] for row in facts["tables"]} == {stage.name for stage in PIPELINE}
    assert not shared_place(root).mirror.exists()


def test_cleaning_removes_old_runs_and_what_only_they_refer_to_for_all_machines(bucket, machine, tmp_path):
    root = bucket.root("cleaned")
    pack = copy_of_tiny_library(tmp_path / "pack")
    old = run_once(pack, root)
    before = set(bucket.contents("cleaned"))
    (pack / "README.md").write_text("another text")
    new = run_once(pack, root)
    machine("an operator's machine")
    store = premises_at(root)
    tomorrow = time.time() + DAY_S
    planned = plan_cleaning(store, NOTHING_OLD, tomorrow)
    assert planned.runs == (old,)
    assert set(bucket.contents("cleaned")) > before  # nothing is removed by planning
    clean(store, planned)
    left = bucket.contents("cleaned")
    assert not [name for name in left if name in before]
    assert [run["run_id"] for run in ledger_at(root).runs()] == [new]
    assert plan_cleaning(store, NOTHING_OLD, tomorrow).files == ()
    machine("first machine")
    assert [run["run_id"] for run in ledger_at(root).runs()] == [new]
    assert carry_out(RunRequest(pack=str(pack), root=root)).status == "gold"


def test_the_command_cleans_and_says_what_it_would_do(bucket, machine, capsys):
    root = bucket.root("young")
    run_once(TINY_LIBRARY, root)
    before = bucket.contents("young")
    for dry in ([], ["--dry-run"]):
        code, facts = told(capsys, "clean", "--keep-days", "0", "--keep-runs", "1", "--root", root, *dry)
        assert (code, facts["runs"], facts["kept_runs"]) == (0, [], 1)  # the newest verdict stays, and all is young
    assert bucket.contents("young") == before


def test_where_nothing_is_or_nobody_answers_one_line_says_so(bucket, machine, capsys):
    assert main(["store", "check", "--root", bucket.root("nothing")]) == 1
    assert "there is no store at s3://bucket/nothing" in capsys.readouterr().err
    root = f"s3://bucket/gone?endpoint_override={LOOPBACK}:9&scheme=http&region=us-east-1"
    for command in ("check", "sizes", "clean"):
        assert main(["store", command, "--root", root]) == 1
        shown = capsys.readouterr().err
        assert "the store s3://bucket/gone cannot be read" in shown
        assert "Traceback" not in shown
