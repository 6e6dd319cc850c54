"""Stages that are computed again although their artifacts are there."""

import shutil

import pytest

from assay.artifacts.keys import KeyParts
from assay.artifacts.ledger import Ledger
from assay.artifacts.store import Store, read_artifact, read_parts, read_table
from assay.artifacts.upkeep.checking import check_store
from assay.pipeline import PIPELINE, stages_from
from assay.runner import NotReproducible, RunRequest, StageCrash, carry_out
from tests.support.packs import copy_of_tiny_library
from tests.support.stores import main_file, run_once, tables_of


@pytest.fixture(scope="module")
def proven(tmp_path_factory):
    folder = tmp_path_factory.mktemp("proven")
    pack = copy_of_tiny_library(folder / "pack")
    run_once(pack, folder / "store")
    return folder / "store", pack


@pytest.fixture
def store(proven, tmp_path):
    shutil.copytree(proven[0], tmp_path / "store")
    return tmp_path / "store"


def test_a_stage_takes_along_what_depends_on_it():
    assert stages_from("load") == {stage.name for stage in PIPELINE}
    assert stages_from("report") == {"report"}
    assert "probe" not in stages_from("bind")
    assert {"replay", "assert", "compare", "report"} <= stages_from("replay")
    with pytest.raises(KeyError):
        stages_from("nothing")


@pytest.mark.parametrize("stage", ["load", "replay"])
def test_what_is_computed_again_is_the_same_bytes_and_not_written(store, proven, stage):
    before = tables_of(store)
    times = {path: path.stat().st_mtime_ns for path in store.glob("stage=*/*/*.parquet")}
    _, computed = run_once(proven[1], store, recompute_from=stage)
    assert computed == stages_from(stage)
    assert tables_of(store) == before
    assert {path: path.stat().st_mtime_ns for path in times} == times
    assert [path for path in (store / "provisional").rglob("*") if path.is_file()] == []
    assert check_store(store).faults == ()


def test_other_bytes_under_the_same_key_are_told_and_change_nothing(store, proven):
    bind = main_file(store, "bind")
    # The same key with other rows: as if something that is no part of the key had decided what binding gives.
    kept = read_artifact(bind)
    tables = {
        kept.main: read_table(kept, kept.main).slice(1),
        **{each: read_table(kept, each) for each in kept.siblings},
    }
    Store(store).write(KeyParts(**read_parts(bind)), "tiny_library", tables)
    before = tables_of(store)

    request = RunRequest(pack=str(proven[1]), root=str(store), recompute_from="bind")
    with pytest.raises(NotReproducible, match="stage bind is not reproducible") as caught:
        carry_out(request)
    assert not isinstance(caught.value, StageCrash), "trying again does not help"
    assert "task_instances: sha256" in str(caught.value)
    assert tables_of(store) == before
    again = store / "provisional" / request.run_id / bind.relative_to(store)
    assert read_artifact(again).rows["task_instances"] == kept.rows["task_instances"]
    assert Ledger(store).read_stages(request.run_id)["bind"]["status"] == "crashed"
    assert Ledger(store).read_run(request.run_id)["status"] == "error"


def test_a_damaged_artifact_is_replaced_and_not_compared(store, proven):
    before = tables_of(store)
    replay = main_file(store, "replay")
    replay.write_bytes(b"torn")
    run_once(proven[1], store, recompute_from="replay")
    assert tables_of(store) == before
