"""A store that was harmed in one way has exactly the fault that tells of it."""

import json
import shutil

import pyarrow.parquet as pq
import pytest

from assay.artifacts.ledger import DIRECT, PREFECT, Ledger
from assay.artifacts.store import read_facts
from assay.artifacts.upkeep.checking import check_store
from tests.support.packs import copy_of_tiny_library
from tests.support.stores import DAY_S, age, main_file, run_once


@pytest.fixture(scope="module")
def proven(tmp_path_factory):
    """Prove a pack once; give its store, pack and run."""
    folder = tmp_path_factory.mktemp("proven")
    pack = copy_of_tiny_library(folder / "pack")
    run_id, _ = run_once(pack, folder / "store")
    return folder / "store", pack, run_id


@pytest.fixture
def store(proven, tmp_path):
    root = tmp_path / "store"
    shutil.copytree(proven[0], root)
    return root


def faults_of(root):
    return {(each.kind, each.path) for each in check_store(root).faults}


def place(root, path):
    return path.relative_to(root).as_posix()


def test_a_store_that_is_whole_has_no_fault_wherever_it_is_now(store):
    inspection = check_store(store)
    assert inspection.faults == ()
    assert not inspection.harm
    assert inspection.runs == 1
    assert inspection.artifacts == len(list((store / "runs").glob("*/stage-*.json")))


def test_whoever_watches_is_told_of_every_artifact(store):
    told = []
    inspection = check_store(store, lambda done, total: told.append((done, total)))
    assert told == [(done + 1, inspection.artifacts) for done in range(inspection.artifacts)]


@pytest.mark.parametrize("damage", ["cut", "empty", "noise"])
def test_a_torn_artifact_is_unreadable(store, damage):
    path = main_file(store, "plan")
    whole = path.read_bytes()
    path.write_bytes({"cut": whole[: len(whole) // 2], "empty": b"", "noise": b"x" * 500}[damage])
    assert faults_of(store) == {("unreadable_artifact", place(store, path))}
    assert check_store(store).harm


def test_a_table_without_the_facts_of_an_artifact_is_unreadable(store):
    path = main_file(store, "plan")
    pq.write_table(pq.read_table(path, partitioning=None).replace_schema_metadata({}), path)
    assert faults_of(store) == {("unreadable_artifact", place(store, path))}


def test_one_flipped_bit_in_a_page_is_found(store):
    path = main_file(store, "replay")
    column = pq.read_metadata(path).row_group(0).column(0)
    data = bytearray(path.read_bytes())
    data[column.data_page_offset + column.total_compressed_size // 2] ^= 1
    path.write_bytes(bytes(data))
    assert read_facts(path) is not None
    assert faults_of(store) == {("damaged_table", place(store, path))}


def test_a_further_table_that_is_gone_or_another_is_found(store):
    calls = next((store / "stage=trace").rglob("*.expected_calls.parquet"))
    whole = calls.read_bytes()
    calls.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    assert faults_of(store) == {("damaged_table", place(store, calls))}
    calls.unlink()
    assert faults_of(store) == {("missing_table", place(store, calls))}


def test_the_bytes_of_another_artifact_are_known_by_their_name(store):
    plan, render = main_file(store, "plan"), main_file(store, "render")
    plan.write_bytes(render.read_bytes())
    (fault,) = check_store(store).faults
    assert (fault.kind, fault.path) == ("wrong_name", place(store, plan))
    assert f"{render.stem[:12]} of stage render" in fault.message


def test_an_artifact_in_the_folder_of_another_stage_is_out_of_place(store):
    plan = main_file(store, "plan")
    strange = store / "stage=render" / plan.parent.name / plan.name
    plan.rename(strange)
    run = next((store / "runs").iterdir()).name
    assert faults_of(store) == {
        ("wrong_place", place(store, strange)),
        ("missing_artifact", f"runs/{run}/stage-plan.json"),
    }


def test_a_key_that_is_not_the_digest_of_its_parts_is_found(store):
    path = main_file(store, "plan")
    table = pq.read_table(path, partitioning=None)
    facts = read_facts(path)
    facts["parts"]["settings"]["exhaustive"] = not facts["parts"]["settings"]["exhaustive"]
    forged = {**table.schema.metadata, b"assay.artifact": json.dumps(facts).encode()}
    pq.write_table(table.replace_schema_metadata(forged), path, write_page_checksum=True)
    assert faults_of(store) == {("wrong_key", place(store, path))}


def test_a_record_that_names_what_is_not_there_says_how_to_get_it_back(store, proven):
    main_file(store, "render").unlink()
    (fault,) = check_store(store).faults
    assert (fault.kind, fault.path) == ("missing_artifact", f"runs/{proven[2]}/stage-render.json")
    assert f"assay retry {proven[2]}" in fault.fix
    run_once(proven[1], store)
    assert faults_of(store) == set()


@pytest.mark.parametrize("name", ["run.json", "stage-plan.json"])
def test_a_torn_record_is_found(store, proven, name):
    record = store / "runs" / proven[2] / name
    record.write_bytes(record.read_bytes()[:-5])
    assert faults_of(store) == {("damaged_record", place(store, record))}


def test_stages_without_their_run_are_found(store, proven):
    (store / "runs" / proven[2] / "run.json").unlink()
    assert faults_of(store) == {("damaged_record", f"runs/{proven[2]}")}


def test_a_run_whose_process_is_gone_broke_off_and_one_under_way_did_not(store):
    ledger = Ledger(store)
    running = {"status": "running", "started": "2026-01-01T00:00:00+00:00", "request": {}}
    ledger.write_run("elsewhere", {**running, "road": PREFECT, "worker": "another-host:1"})
    assert faults_of(store) == set()
    age(store, 2 * DAY_S)
    assert faults_of(store) == {("broken_off_run", "runs/elsewhere")}
    assert not check_store(store).harm
    ledger.write_run("elsewhere", {**running, "status": "gold", "road": DIRECT})
    assert faults_of(store) == set()


@pytest.mark.parametrize("harm", ["changed", "added", "removed"])
def test_a_snapshot_that_is_not_what_its_name_says_is_found(store, harm):
    (folder,) = [each for each in (store / "snapshots").iterdir() if each.is_dir()]
    folder.chmod(0o755)
    tools = folder / "tools.json"
    tools.chmod(0o644)
    match harm:
        case "changed":
            tools.write_text(tools.read_text() + " ")
        case "added":
            (folder / "extra.py").write_text("")
        case "removed":
            tools.unlink()
    assert faults_of(store) == {("damaged_snapshot", place(store, folder))}


def test_a_snapshot_without_its_note_cannot_be_checked_until_the_pack_is_run_again(store, proven):
    (note,) = (store / "snapshots").glob("*.json")
    note.unlink()
    assert faults_of(store) == {("unchecked_snapshot", f"snapshots/{note.stem}")}
    assert not check_store(store).harm
    run_once(proven[1], store)
    assert faults_of(store) == set()


def test_a_snapshot_that_a_run_needs_and_that_is_gone_is_found(store, proven):
    from assay.pack.snapshot import remove_snapshot

    (note,) = (store / "snapshots").glob("*.json")
    remove_snapshot(note.with_suffix(""))
    assert faults_of(store) == {("missing_snapshot", f"runs/{proven[2]}")}


def test_a_list_of_modules_that_is_none_is_found(store):
    (path,) = (store / "modules").iterdir()
    path.write_text('{"a": 1}')
    assert faults_of(store) == {("damaged_modules", place(store, path))}


def test_leftovers_are_told_once_they_are_old_enough_and_are_no_harm(store):
    plan = main_file(store, "plan")
    left = [plan.with_name(f".{plan.name[:40]}.77.tmp"), store / "notes.txt", plan.with_name(f"{'0' * 64}.x.parquet")]
    for path in left:
        path.write_text("left over")
    assert faults_of(store) == set()
    age(store, DAY_S)
    kinds = ["temporary_file", "unknown_file", "unused_table"]
    assert faults_of(store) == {(kind, place(store, path)) for kind, path in zip(kinds, left, strict=True)}
    assert not check_store(store).harm


def test_sizes_are_those_of_the_files(store):
    sizes = check_store(store).sizes
    assert sizes.total == sum(path.stat().st_size for path in store.rglob("*") if path.is_file())
    trace = sum(path.stat().st_size for path in (store / "stage=trace").rglob("*.parquet"))
    assert sizes.tables["trace", "tiny_library"] == trace
    assert sizes.artifacts["trace", "tiny_library"] == 1
