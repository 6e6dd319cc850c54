"""`assay store` and `assay why`, as people and scripts see them."""

import json
import shutil

import pytest

from flows.command import main
from tests.support.packs import TINY_LIBRARY
from tests.support.stores import DAY_S, age, main_file, run_once


@pytest.fixture(scope="module")
def proven(tmp_path_factory):
    root = tmp_path_factory.mktemp("proven") / "store"
    run_id, _ = run_once(TINY_LIBRARY, root)
    return root, run_id


@pytest.fixture
def store(proven, tmp_path):
    shutil.copytree(proven[0], tmp_path / "store")
    return tmp_path / "store"


def test_a_whole_store_is_told_to_be_one(store, capsys):
    assert main(["store", "check", "--root", str(store)]) == 0
    shown = capsys.readouterr().out
    assert shown.splitlines()[-1].endswith("1 runs: 0 errors, 0 warnings")
    assert "tiny_library" in shown


def test_a_fault_is_told_with_its_place_and_what_to_do(store, proven, capsys):
    main_file(store, "plan").unlink()
    assert main(["store", "check", "--root", str(store)]) == 2
    shown = capsys.readouterr().out
    assert f"missing_artifact  runs/{proven[1]}/stage-plan.json" in shown
    assert f"fix: `assay retry {proven[1]}`" in shown
    assert main(["store", "check", "--root", str(store), "--json"]) == 2
    told = json.loads(capsys.readouterr().out)
    assert told["status"] == "faults"
    assert [(each["kind"], each["severity"], each["run"]) for each in told["faults"]] == [
        ("missing_artifact", "error", proven[1])
    ]


def test_leftovers_alone_are_no_failure(store, capsys):
    (store / "notes.txt").write_text("mine")
    age(store, DAY_S)
    assert main(["store", "check", "--root", str(store), "--json"]) == 0
    (fault,) = json.loads(capsys.readouterr().out)["faults"]
    assert (fault["kind"], fault["severity"]) == ("unknown_file", "warning")


def test_sizes_are_by_stage_and_pack(store, capsys):
    assert main(["store", "sizes", "--root", str(store), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["total_bytes"] == sum(path.stat().st_size for path in store.rglob("*") if path.is_file())
    assert {(each["pack"], each["artifacts"]) for each in told["tables"]} == {("tiny_library", 1)}
    assert main(["store", "sizes", "--root", str(store)]) == 0
    assert "kB" in capsys.readouterr().out


def test_cleaning_tells_what_it_frees_and_a_dry_run_frees_nothing(store, proven, capsys):
    second, _ = run_once(TINY_LIBRARY, store, exhaustive=True)
    age(store, DAY_S)
    before = sorted(store.rglob("*"))
    options = ["store", "clean", "--root", str(store), "--keep-days", "0", "--keep-runs", "1"]
    assert main([*options, "--dry-run", "--json"]) == 0
    planned = json.loads(capsys.readouterr().out)
    assert sorted(store.rglob("*")) == before
    assert planned["runs"] == [proven[1]]

    assert main(options) == 0
    assert "removed: 1 runs" in capsys.readouterr().out
    assert not (store / "runs" / proven[1]).exists()
    assert (store / "runs" / second).is_dir()
    assert main(["store", "check", "--root", str(store)]) == 0


@pytest.mark.parametrize("what", ["check", "sizes", "clean"])
def test_a_store_that_is_not_there_is_refused(tmp_path, what, capsys):
    assert main(["store", what, "--root", str(tmp_path / "nothing")]) == 1
    assert "there is no store at" in capsys.readouterr().err


def test_why_names_each_stage_and_its_reason(store, capsys):
    run_id, _ = run_once(TINY_LIBRARY, store, exhaustive=True)
    assert main(["why", run_id, "--root", str(store)]) == 0
    lines = {line.split()[0]: line for line in capsys.readouterr().out.splitlines()}
    assert lines["bind"].split() == ["bind", "cached", "nothing", "changed"]
    assert "setting exhaustive: false -> true" in lines["plan"]
    assert main(["why", run_id, "--stage", "plan", "--root", str(store), "--json"]) == 0
    (reason,) = json.loads(capsys.readouterr().out)["stages"]
    assert (reason["stage"], reason["status"], reason["cause"]) == ("plan", "computed", "changed")
    assert reason["changes"] == [{"part": "setting", "name": "exhaustive", "before": "false", "after": "true"}]


@pytest.mark.parametrize(("arguments", "error"), [(["x"], "no run x"), (["x", "--stage", "y"], "there is no stage y")])
def test_why_of_what_is_not_there_is_refused(store, arguments, error, capsys):
    assert main(["why", *arguments, "--root", str(store)]) == 1
    assert error in capsys.readouterr().err
