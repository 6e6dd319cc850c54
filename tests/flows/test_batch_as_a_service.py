"""What operators rely on: a slow pack costs the others nothing, a batch is recorded, an unchanged one is cheap."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from prefect.client.orchestration import get_client
from prefect.client.schemas.filters import ArtifactFilter, ArtifactFilterKey

from assay.artifacts.catalog import ask
from assay.artifacts.ledger import Ledger
from assay.pipeline import PIPELINE
from flows.progress import BatchBegun, StageEnded, observing
from flows.requests import requests_for
from flows.validate_batch import validate_batch
from tests.support.packs import UNKNOWN_POLICY, copy_of_tiny_library
from tests.support.prefect_runs import recorded_run

pytestmark = [pytest.mark.xdist_group("prefect"), pytest.mark.usefixtures("prefect_api")]

HANGS = ("backend.py", "    return _TOOLS[name](arguments, ctx)", "    while True:\n        pass")
DEADLINE_S = 6.0


def pack_called(folder, name, *changes):
    return copy_of_tiny_library(folder / name, ("manifest.yaml", "pack_id: tiny_library", f"pack_id: {name}"), *changes)


@pytest.fixture(scope="module")
def fleet(prefect_api, tmp_path_factory):
    """Prove a pack that hangs, and after it a good one and a red one, two stages at a time.

    Only the one that hangs has a deadline: how long the others take is the machine's affair.
    """
    folder = tmp_path_factory.mktemp("fleet")
    pack_called(folder / "packs", "alder", HANGS)
    pack_called(folder / "packs", "beech")
    pack_called(folder / "packs", "cherry", UNKNOWN_POLICY)
    requests = requests_for([folder / "packs"], root=folder / "store")
    limited = [replace(requests[0], deadline_s=DEADLINE_S), *requests[1:]]
    told = []
    with observing(told.append):
        whole = [each.to_json() for each in limited]
        state = validate_batch(requests=whole, output_dir=str(folder / "out"), at_once=2, return_state=True)
    (begun,) = [each for each in told if isinstance(each, BatchBegun)]
    return folder, state, json.loads((folder / "out" / "summary.json").read_text()), begun, told


def entries(summary):
    return {each["pack_id"]: each for each in summary["packs"]}


def test_a_pack_that_overruns_its_deadline_has_no_verdict_and_the_others_have_theirs(fleet):
    _, state, summary, *_ = fleet
    assert {name: each["status"] for name, each in entries(summary).items()} == {
        "alder": "error",
        "beech": "gold",
        "cherry": "not_gold",
    }
    alder = entries(summary)["alder"]
    assert alder["deadline_passed"]
    assert "no verdict within the 6 s that the pack was given" in alder["error"]
    assert not entries(summary)["beech"]["deadline_passed"]
    assert alder["seconds"] < DEADLINE_S + 15
    assert state.name == "Failed"
    assert "alder" in state.message


def test_no_step_begins_after_the_deadline(fleet):
    folder, _, summary, *_ = fleet
    stages = Ledger(folder / "store").read_stages(entries(summary)["alder"]["run_id"])
    assert "report" not in stages
    assert stages["probe"]["status"] == "crashed"


def test_a_deadline_is_not_tried_again_by_itself(fleet):
    recorded = recorded_run(fleet[1], tasks=2 * (len(PIPELINE) + 2) + 1)
    assert recorded.tasks["probe alder"].run_count == 1


def test_the_batch_is_in_the_ledger_with_its_runs(fleet):
    folder, state, summary, begun, _ = fleet
    batch = Ledger(folder / "store").read_batch(begun.batch_id)
    assert summary["batch_id"] == begun.batch_id
    assert batch["runs"] == [each["run_id"] for each in summary["packs"]]
    assert [each["run_id"] for each in batch["requests"]] == batch["runs"]
    assert batch["status"] == "error"
    assert batch["totals"] == {"gold": 1, "not_gold": 1, "error": 1}
    assert batch["flow_run"] == str(state.state_details.flow_run_id)
    assert batch["started"] < batch["finished"]


def test_analysts_find_a_row_for_each_pack(fleet):
    folder, _, summary, begun, _ = fleet
    names, rows = ask(
        folder / "store",
        "select batch_id, pack_id, status, errors, deadline_passed, codes, started is null from batches "
        f"where batch_id = '{begun.batch_id}' order by all",
    )
    assert names[:2] == ["batch_id", "pack_id"]
    assert [row[:3] for row in rows] == [
        (begun.batch_id, "alder", "error"),
        (begun.batch_id, "beech", "gold"),
        (begun.batch_id, "cherry", "not_gold"),
    ]
    assert [row[4] for row in rows] == [True, False, False]
    assert rows[2][3] == entries(summary)["cherry"]["severities"]["error"]
    assert {"code": "unknown_turn_policy", "findings": 1} in rows[2][5]
    assert [row[6] for row in rows] == [False] * 3


def test_each_red_pack_has_a_page_that_the_summary_leads_to(fleet):
    flow_run = fleet[1].state_details.flow_run_id
    with get_client(sync_client=True) as client:
        wanted = ArtifactFilter(key=ArtifactFilterKey(any_=["batch-summary", "batch-table", "pack-cherry"]))
        read = client.read_artifacts(artifact_filter=wanted)
    found = {each.key: each for each in read if each.flow_run_id == flow_run}
    assert f"[findings](/artifacts/artifact/{found['pack-cherry'].id})" in found["batch-summary"].data
    assert "unknown_turn_policy" in found["pack-cherry"].data
    table = {row["pack"]: row for row in json.loads(found["batch-table"].data)}
    assert {name: row["verdict"] for name, row in table.items()} == {
        "alder": "no verdict",
        "beech": "Gold",
        "cherry": "NotGold",
    }


def test_a_pack_of_which_everything_is_in_the_store_takes_one_task(fleet):
    folder = fleet[0]
    good = folder / "again" / "packs"
    pack_called(good, "beech")
    options = {"root": str(folder / "store"), "packs": [str(good)], "output_dir": str(folder / "again" / "out")}
    told = []
    with observing(told.append):
        state = validate_batch(**options, return_state=True)
    assert state.name == "Gold"
    recorded = recorded_run(state, tasks=1)
    assert recorded.state_names() == {"serve beech": "Cached"}
    (entry,) = json.loads((folder / "again" / "out" / "summary.json").read_text())["packs"]
    assert (entry["cached_stages"], entry["computed_stages"]) == (len(PIPELINE), 0)
    stages = Ledger(folder / "store").read_stages(entry["run_id"])
    assert {stage: each["status"] for stage, each in stages.items()} == {each.name: "cached" for each in PIPELINE}
    assert [each.stage.stage for each in told if isinstance(each, StageEnded)] == [each.name for each in PIPELINE]
    report = folder / "again" / "out" / "beech"
    assert len(list(report.rglob("report.json"))) == 1


def test_a_lost_artifact_costs_a_served_pack_that_stage_only(fleet):
    folder = fleet[0]
    (lost,) = (folder / "store" / "stage=render" / "pack_id=beech").glob("*.parquet")
    whole = lost.read_bytes()
    lost.unlink()
    requests = requests_for([folder / "packs" / "beech"], root=folder / "store")
    state = validate_batch(requests=[each.to_json() for each in requests], return_state=True)
    assert state.name == "Gold"
    states = recorded_run(state, tasks=len(PIPELINE) + 2).state_names()
    assert states.pop("serve beech") == "Completed"
    assert states.pop("render beech") == "Completed"
    assert states.pop("finish beech") == "Completed"
    assert set(states.values()) == {"Cached"}
    assert lost.read_bytes() == whole


def test_the_deadline_of_a_form_is_that_of_each_pack(fleet):
    folder = fleet[0]
    told = []
    with observing(told.append):
        packs = [str(folder / "packs" / "beech")]
        validate_batch(packs=packs, root=str(folder / "store"), deadline_s=900.0, return_state=True)
    (begun,) = [each for each in told if isinstance(each, BatchBegun)]
    (request,) = Ledger(folder / "store").read_batch(begun.batch_id)["requests"]
    assert request["deadline_s"] == 900.0


def test_a_batch_of_nothing_is_not_recorded(tmp_path):
    state = validate_batch(packs=[""], root=str(tmp_path / "store"), return_state=True)
    assert state.name == "Failed"
    assert list(Ledger(tmp_path / "store").batches()) == []


def test_a_batch_that_is_to_wait_begins_a_little_later(fleet, monkeypatch):
    import importlib

    module = importlib.import_module("flows.validate_batch")

    waited = []
    monkeypatch.setattr(module.time, "sleep", waited.append)
    module._wait_a_moment(30.0)
    module._wait_a_moment(0.0)
    assert 0 <= waited[0] <= 30
    assert waited[1] == 0
