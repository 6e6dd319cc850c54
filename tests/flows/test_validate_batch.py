from __future__ import annotations

import json

import pytest

from assay.artifacts.ledger import Ledger
from assay.pipeline import PIPELINE
from flows.progress import PackEnded, StageEnded, observing
from flows.requests import requests_for
from flows.validate_batch import validate_batch
from tests.support.packs import UNKNOWN_POLICY, copy_of_tiny_library
from tests.support.prefect_runs import recorded_run

pytestmark = [pytest.mark.xdist_group("prefect"), pytest.mark.usefixtures("prefect_api")]

STEPS = len(PIPELINE) + 2


def pack_called(folder, name, *changes):
    return copy_of_tiny_library(folder / name, ("manifest.yaml", "pack_id: tiny_library", f"pack_id: {name}"), *changes)


@pytest.fixture(scope="module")
def batch(prefect_api, tmp_path_factory):
    """Prove a good pack, a red one, and between them one whose config cannot be used."""
    folder = tmp_path_factory.mktemp("batch")
    packs = [pack_called(folder, "ash"), pack_called(folder, "birch"), pack_called(folder, "cedar", UNKNOWN_POLICY)]
    config = folder / "broken.yaml"
    config.write_text("no_such_setting: 1\n")
    requests = [each.to_json() for each in requests_for(packs, root=folder / "store", output_dir=folder / "out")]
    requests[1]["config"] = str(config)
    told = []
    with observing(told.append):
        state = validate_batch(requests=requests, output_dir=str(folder / "out"), at_once=2, return_state=True)
    return folder, requests, state, told


def test_a_pack_without_verdict_fails_the_run_and_stops_no_other(batch):
    folder, requests, state, _ = batch
    assert state.name == "Failed"
    assert "birch" in state.message
    assert f"assay retry {requests[1]['run_id']}" in state.message
    summary = json.loads((folder / "out" / "summary.json").read_text())
    assert {each["pack_id"]: each["status"] for each in summary["packs"]} == {
        "ash": "gold",
        "birch": "error",
        "cedar": "not_gold",
    }
    assert summary["status"] == "error"
    assert summary["totals"] == {"gold": 1, "not_gold": 1, "error": 1}


def test_the_summary_says_what_is_red_and_why(batch):
    folder, requests, _, _ = batch
    _, birch, cedar = json.loads((folder / "out" / "summary.json").read_text())["packs"]
    assert "no_such_setting" in birch["error"]
    assert cedar["codes"]["unknown_turn_policy"] == 1
    assert cedar["severities"]["error"] >= 1
    assert cedar["run_id"] == requests[2]["run_id"]
    assert cedar["seconds"] > 0


def test_all_packs_are_tasks_of_one_flow_run(batch):
    recorded = recorded_run(batch[2], tasks=2 * STEPS + 1)
    assert recorded.flow_run.name == "ash and 2 more"
    assert {"pack:ash", "pack:birch", "pack:cedar"} <= set(recorded.flow_run.tags)
    packs = [name.partition(" ")[2] for name in recorded.tasks]
    assert {each: packs.count(each) for each in set(packs)} == {"ash": STEPS, "birch": 1, "cedar": STEPS}


def test_each_pack_has_a_folder_of_its_own(batch):
    folder = batch[0]
    assert len(list((folder / "out" / "ash").rglob("report.json"))) == 1
    assert len(list((folder / "out" / "cedar").rglob("report.json"))) == 1


def test_whoever_watches_is_told_of_every_stage_and_every_pack(batch):
    told = batch[3]
    stages = [(each.name.pack_id, each.stage.stage) for each in told if isinstance(each, StageEnded)]
    packs = [each.outcome.pack_id for each in told if isinstance(each, PackEnded)]
    assert sorted(packs) == ["ash", "birch", "cedar"]
    assert {stage for pack, stage in stages if pack == "ash"} == {stage.name for stage in PIPELINE}
    assert [stage for pack, stage in stages if pack == "birch"] == []


def test_the_ledger_closes_every_run(batch):
    folder, requests, _, _ = batch
    ledger = Ledger(folder / "store")
    statuses = [ledger.read_run(each["run_id"])["status"] for each in requests]
    assert statuses == ["gold", "error", "not_gold"]


def test_shards_share_the_packs_among_them(batch, tmp_path):
    folder = batch[0]
    options = {
        "packs": [str(folder / "[ac]*")],
        "root": str(folder / "store"),
        "output_dir": str(tmp_path),
        "shards": 2,
    }
    states = [validate_batch(**options, shard=shard, return_state=True) for shard in (0, 1)]
    assert [state.name for state in states] == ["Gold", "NotGold"]
    halves = [json.loads((tmp_path / f"summary-{shard}-of-2.json").read_text())["packs"] for shard in (1, 2)]
    assert [[each["pack_id"] for each in half] for half in halves] == [["ash"], ["cedar"]]


def test_nothing_to_prove_is_no_verdict():
    state = validate_batch(packs=[""], return_state=True)
    assert state.name == "Failed"
    assert state.message == "no pack was found"
