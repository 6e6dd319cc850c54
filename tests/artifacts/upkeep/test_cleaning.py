"""What goes and what stays when a store is cleaned."""

import json
import shutil
import socket
import time

import pytest

from assay.artifacts.ledger import DIRECT, PREFECT, Ledger
from assay.artifacts.upkeep.checking import check_store
from assay.artifacts.upkeep.cleaning import clean, plan_cleaning
from assay.artifacts.upkeep.retention import Policy
from assay.runner import RunRequest, carry_out
from tests.support.pack_files import edit
from tests.support.packs import copy_of_tiny_library
from tests.support.stores import DAY_S, age, run_once, tables_of

OLD = Policy(keep_days=7, keep_runs=1)


@pytest.fixture(scope="module")
def history(tmp_path_factory):
    """Prove a pack, change it, prove it again; give its store, pack and the two runs."""
    folder = tmp_path_factory.mktemp("history")
    pack = copy_of_tiny_library(folder / "pack")
    first, _ = run_once(pack, folder / "store")
    edit(pack / "task_templates.yaml", "Could you extend", "Could you prolong")
    second, _ = run_once(pack, folder / "store")
    return folder / "store", pack, first, second


@pytest.fixture
def store(history, tmp_path):
    """Give a copy of the store, all of it thirty days old."""
    root = tmp_path / "store"
    shutil.copytree(history[0], root)
    for path in (root / "runs").glob("*/run.json"):
        facts = json.loads(path.read_text())
        path.write_text(json.dumps({**facts, "finished": "2020-01-01T00:00:00+00:00"}))
    age(root, 30 * DAY_S)
    return root


def clean_now(root, policy=OLD):
    return clean(root, plan_cleaning(root, policy))


def test_an_old_run_goes_with_all_that_only_it_refers_to(store, history):
    _, pack, first, second = history
    planned = plan_cleaning(store, OLD)
    assert planned.runs == (first,)
    before = tables_of(store)
    done = clean(store, planned)
    assert [each["run_id"] for each in Ledger(store).runs()] == [second]
    assert done.freed.total > 0
    assert done.freed.artifacts["bind", "tiny_library"] == 1
    left = tables_of(store)
    assert len(left) * 2 == len(before)
    assert left.items() <= before.items()
    assert len(list((store / "snapshots").glob("*.json"))) == 1
    assert len(list((store / "modules").iterdir())) == 1
    assert check_store(store).faults == ()
    assert run_once(pack, store)[1] == set()


def test_a_second_cleaning_finds_nothing(store):
    clean_now(store)
    age(store, 30 * DAY_S)
    assert plan_cleaning(store, OLD).files == ()


def test_nothing_is_touched_by_planning(store):
    before = sorted(store.rglob("*"))
    plan_cleaning(store, OLD)
    assert sorted(store.rglob("*")) == before


@pytest.mark.parametrize("policy", [Policy(keep_days=7, keep_runs=2), Policy(keep_days=10_000, keep_runs=1)])
def test_a_run_that_either_rule_keeps_stays(store, policy):
    assert plan_cleaning(store, policy).runs == ()
    assert plan_cleaning(store, policy).files == ()


def test_the_newest_verdict_of_a_pack_stays_whatever_came_after_it(store, history):
    _, pack, _, second = history
    ledger = Ledger(store)
    request = RunRequest(pack=str(pack), root=str(store)).to_json()
    for number in range(3):
        facts = {"request": request, "status": "error", "pack_id": "tiny_library", "finished": "2020-01-02T00:00:00Z"}
        ledger.write_run(f"29990101T00000{number}-x", facts)
    age(store, 30 * DAY_S)
    clean_now(store)
    assert [each["run_id"] for each in ledger.runs()] == ["29990101T000002-x", second]
    assert check_store(store).faults == ()


def test_each_pack_counts_for_itself(store, history, tmp_path):
    other = copy_of_tiny_library(tmp_path / "other", ("manifest.yaml", "pack_id: tiny_library", "pack_id: other"))
    run_once(other, store)
    age(store, 30 * DAY_S)
    assert plan_cleaning(store, OLD).runs == (history[2],)


def test_young_files_stay_whoever_they_belong_to(store):
    stray = store / "stage=bind" / "pack_id=tiny_library" / f"{'0' * 64}.parquet"
    stray.write_bytes(b"being written")
    temporary = stray.with_name(".abc.77.tmp")
    temporary.write_bytes(b"being written")
    clean_now(store)
    assert stray.exists()
    assert temporary.exists()
    age(store, 3600 + 60)
    clean_now(store)
    assert not stray.exists()
    assert not temporary.exists()


def test_what_is_no_part_of_a_store_stays(store):
    note = store / "notes.txt"
    note.write_text("mine")
    age(store, 30 * DAY_S)
    clean_now(store)
    assert note.read_text() == "mine"


def test_while_a_run_is_under_way_whatever_it_may_be_served_stays(store, history):
    ledger = Ledger(store)
    before = tables_of(store)
    request = RunRequest(pack=str(history[1]), root=str(store)).to_json()
    ledger.write_run("20990101T000000-x", {"request": request, "status": "running", "road": PREFECT, "worker": "h:1"})
    done = clean_now(store)
    assert done.under_way == 1
    assert done.runs == (history[2],)
    assert tables_of(store) == before
    assert len(list((store / "snapshots").glob("*.json"))) == 2


def test_a_run_that_began_after_the_plan_was_made_is_safe(store, history):
    planned = plan_cleaning(store, OLD)
    before = tables_of(store)
    request = RunRequest(pack=str(history[1]), root=str(store)).to_json()
    facts = {"request": request, "status": "running", "road": PREFECT, "worker": "h:1"}
    Ledger(store).write_run("20990101T000000-x", facts)
    clean(store, planned)
    assert tables_of(store) == before


def test_a_run_that_began_and_ended_after_the_plan_was_made_keeps_what_it_was_served(store, history, tmp_path):
    edit(
        shutil.copytree(history[1], tmp_path / "pack") / "task_templates.yaml", "Could you prolong", "Could you extend"
    )
    planned = plan_cleaning(store, OLD)
    before = tables_of(store)
    _, computed = run_once(tmp_path / "pack", store)
    assert computed == set(), "it goes back to what the first run judged"
    clean(store, planned)
    assert tables_of(store) == before
    assert check_store(store).faults == ()


def test_a_run_of_another_pack_protects_only_that(store, tmp_path):
    other = copy_of_tiny_library(tmp_path / "other", ("manifest.yaml", "pack_id: tiny_library", "pack_id: other"))
    run_id, _ = run_once(other, store)
    ledger = Ledger(store)
    facts = ledger.read_run(run_id)
    ledger.write_run(run_id, {**facts, "status": "running", "road": PREFECT, "worker": "h:1"})
    done = clean_now(store)
    assert done.freed.artifacts["bind", "tiny_library"] == 1
    assert done.freed.artifacts["bind", "other"] == 0


def test_a_run_whose_process_was_killed_is_not_under_way(store, history):
    request = RunRequest(pack=str(history[1]), root=str(store)).to_json()
    dead = f"{socket.gethostname()}:{2**22 + 1}"
    Ledger(store).write_run(
        "20000101T000000-x", {"request": request, "status": "running", "road": DIRECT, "worker": dead}
    )
    age(store, 30 * DAY_S)
    assert set(plan_cleaning(store, OLD).runs) == {"20000101T000000-x", history[2]}


def test_provisional_results_go_with_their_run(store, history, tmp_path):
    pack = copy_of_tiny_library(tmp_path / "slow")
    lookup = '    book = _find("books", "book_id", arguments["book_id"])\n    return'
    edit(pack / "backend.py", lookup, f"    __import__('time').sleep(60)\n{lookup}")
    config = pack / "fast.yaml"
    text = (pack / "validate.yaml").read_text().replace("oracle_runtime:", "oracle_runtime:\n  tool_timeout_s: 0.3", 1)
    config.write_text(text.replace("output_dir: ../../.demo/tiny_library", f"output_dir: {tmp_path}/out"))
    runs = [RunRequest(config=str(config), root=str(store)) for _ in range(2)]
    for request in runs:
        carry_out(request)
    kept = store / "provisional"
    assert {each.name for each in kept.iterdir()} == {each.run_id for each in runs}
    planned = plan_cleaning(store, Policy(keep_days=0, keep_runs=1), now=time.time() + DAY_S)
    clean(store, planned)
    (newest,) = kept.iterdir()
    assert newest.name in {each.run_id for each in runs}
    assert Ledger(store).read_run(newest.name)["status"] == "not_gold"
    assert check_store(store).faults == ()


def test_a_batch_goes_with_the_last_of_its_runs(store, history):
    ledger = Ledger(store)
    ledger.write_batch("b-old", {"runs": [history[2]], "requests": []})
    ledger.write_batch("b-new", {"runs": [history[2], history[3]], "requests": []})
    (store / "batches").mkdir()
    for name in ("b-old", "b-new"):
        (store / "batches" / f"{name}.parquet").write_bytes(b"")
    age(store, 30 * DAY_S)
    clean_now(store)
    assert [each["batch_id"] for each in ledger.batches()] == ["b-new"]
    assert [each.stem for each in (store / "batches").iterdir()] == ["b-new"]


def test_a_cleaning_that_is_cut_short_leaves_nothing_half(store, history):
    planned = plan_cleaning(store, OLD)
    for count in range(0, len(planned.files), 7):
        copy = store.with_name(f"cut-{count}")
        shutil.copytree(store, copy)
        for file in planned.files[:count]:
            if file.kind != "snapshot":
                (copy / file.path).unlink()
        assert [each.kind for each in check_store(copy).faults if each.harm] == []
        clean_now(copy)
        assert check_store(copy).faults == ()
        shutil.rmtree(copy, ignore_errors=True)
