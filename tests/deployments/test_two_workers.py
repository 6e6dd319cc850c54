"""One batch, dealt out in two shards to two workers, on one store."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest
from prefect.client.orchestration import get_client

from assay.artifacts.ledger import Ledger
from assay.pipeline import PIPELINE
from assay.runner import carry_out
from flows.requests import requests_for
from flows.validate_batch import validate_batch
from tests.support.packs import UNKNOWN_POLICY, copy_of_tiny_library
from tests.support.tables import tables_below

pytestmark = pytest.mark.xdist_group("prefect")

PATIENCE_S = 240
POOL = "twins"


@contextmanager
def worker(folder, name):
    """Run a worker that takes one flow run at a time."""
    command = [sys.executable, "-m", "prefect", "worker", "start", "--pool", POOL, "--limit", "1", "--name", name]
    with (folder / f"{name}.log").open("wb") as log:
        process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def make_pool(folder):
    command = [sys.executable, "-m", "prefect", "work-pool", "create", POOL, "--type", "process"]
    subprocess.run(command, cwd=folder, capture_output=True, check=True, timeout=PATIENCE_S)


def trigger_shards(parameters):
    """Deploy the batch and ask for both its shards; return the ids of the flow runs."""
    with get_client(sync_client=True) as client:
        deployment = client.create_deployment(
            client.create_flow(validate_batch),
            name=POOL,
            work_pool_name=POOL,
            entrypoint="flows.validate_batch.validate_batch",
            parameters={**parameters, "shards": 2},
        )
        shards = ({"shard": 0}, {"shard": 1})
        return [client.create_flow_run_from_deployment(deployment, parameters=each).id for each in shards]


def wait_for_both(flow_runs):
    deadline = time.monotonic() + PATIENCE_S
    with get_client(sync_client=True) as client:
        while True:
            found = [client.read_flow_run(each) for each in flow_runs]
            if all(each.state is not None and each.state.is_final() for each in found):
                return found
            assert time.monotonic() < deadline, [each.state_name for each in found]
            time.sleep(0.5)


def test_two_workers_share_a_batch(prefect_api, tmp_path, monkeypatch):
    monkeypatch.setenv("PREFECT_API_URL", prefect_api)
    packs = [
        copy_of_tiny_library(
            tmp_path / "packs" / name,
            ("manifest.yaml", "pack_id: tiny_library", f"pack_id: {name}"),
            *([UNKNOWN_POLICY] if name == "birch" else []),
        )
        for name in ("ash", "birch")
    ]
    store, out = tmp_path / "store", tmp_path / "out"
    make_pool(tmp_path)
    flow_runs = trigger_shards({"packs": [str(tmp_path / "packs")], "root": str(store), "output_dir": str(out)})
    with worker(tmp_path, "one"), worker(tmp_path, "two"):
        states = [each.state_name for each in wait_for_both(flow_runs)]
    assert states == ["Gold", "NotGold"]

    summaries = [json.loads((out / f"summary-{shard}-of-2.json").read_text())["packs"] for shard in (1, 2)]
    assert [[each["pack_id"] for each in summary] for summary in summaries] == [["ash"], ["birch"]]
    ledger = Ledger(store)
    executed = [ledger.read_stages(summary[0]["run_id"]) for summary in summaries]
    assert [len(each) for each in executed] == [len(PIPELINE)] * 2
    processes = [{record["worker"] for record in each.values()} for each in executed]
    assert not processes[0] & processes[1]
    assert f"{os.getpid()}" not in {each.rpartition(":")[2] for both in processes for each in both}

    for request in requests_for(packs, root=tmp_path / "direct"):
        carry_out(request)
    assert tables_below(store) == tables_below(tmp_path / "direct")
