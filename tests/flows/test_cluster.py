"""A batch on a Dask cluster of two worker processes: the same tables, made elsewhere."""

from __future__ import annotations

import json
import signal
import subprocess
import sys

import pytest

from assay.artifacts.ledger import Ledger
from assay.pipeline import PIPELINE
from assay.runner import carry_out
from flows.progress import observing
from flows.requests import requests_for
from flows.validate_batch import validate_batch
from tests.support.dask_cluster import LOOPBACK, dask_cluster, free_port, one_more_worker
from tests.support.packs import UNKNOWN_POLICY, copy_of_tiny_library
from tests.support.tables import tables_below

pytestmark = [pytest.mark.xdist_group("prefect"), pytest.mark.usefixtures("prefect_api")]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with dask_cluster(tmp_path_factory.mktemp("dask")) as (address, workers):
        yield address, workers


@pytest.fixture(scope="module")
def batch(prefect_api, cluster, tmp_path_factory):
    """Prove a good pack and a red one on the cluster, after one that has no usable config."""
    folder = tmp_path_factory.mktemp("batch")
    names = ("ash", "birch", "elder")
    packs = [
        copy_of_tiny_library(
            folder / name,
            ("manifest.yaml", "pack_id: tiny_library", f"pack_id: {name}"),
            *([UNKNOWN_POLICY] if name == "elder" else []),
        )
        for name in names
    ]
    config = folder / "broken.yaml"
    config.write_text("no_such_setting: 1\n")
    requests = [each.to_json() for each in requests_for(packs, root=folder / "store", output_dir=folder / "out")]
    requests[0]["config"] = str(config)
    state = validate_batch(requests=requests, output_dir=str(folder / "out"), dask=cluster[0], return_state=True)
    return folder, packs, requests, state


def test_verdicts_are_those_of_any_other_road(batch):
    folder, _, requests, state = batch
    assert state.name == "Failed"
    assert f"assay retry {requests[0]['run_id']}" in state.message
    summary = json.loads((folder / "out" / "summary.json").read_text())
    statuses = {each["pack_id"]: each["status"] for each in summary["packs"]}
    assert statuses == {"ash": "error", "birch": "gold", "elder": "not_gold"}
    assert "no_such_setting" in summary["packs"][0]["error"]


def test_both_workers_execute_stages_and_this_process_none(batch, cluster):
    folder, _, requests, _ = batch
    ledger = Ledger(folder / "store")
    records = [record for each in requests for record in ledger.read_stages(each["run_id"]).values()]
    assert len(records) == 2 * len(PIPELINE)
    assert {record["status"] for record in records} == {"computed"}
    assert {int(record["worker"].rpartition(":")[2]) for record in records} == {each.pid for each in cluster[1]}


def test_tables_are_byte_for_byte_those_of_a_direct_run(batch, tmp_path):
    folder, packs, _, _ = batch
    for request in requests_for(packs[1:], root=tmp_path / "store"):
        carry_out(request)
    assert tables_below(folder / "store") == tables_below(tmp_path / "store")


def test_a_second_run_is_served_from_the_cache(batch, cluster):
    folder, packs, _, _ = batch
    requests = [each.to_json() for each in requests_for(packs[1:], root=folder / "store")]
    state = validate_batch(requests=requests, dask=cluster[0], return_state=True)
    assert state.name == "NotGold"
    ledger = Ledger(folder / "store")
    records = [record for each in requests for record in ledger.read_stages(each["run_id"]).values()]
    assert [record["status"] for record in records] == ["cached"] * 2 * len(PIPELINE)


def test_a_worker_that_is_killed_costs_no_verdict(cluster, tmp_path):
    """More steps at once than the other two workers have threads: the third one is given work."""
    packs = [
        copy_of_tiny_library(tmp_path / name, ("manifest.yaml", "pack_id: tiny_library", f"pack_id: {name}"))
        for name in ("gorse", "hazel", "ivy", "juniper", "larch", "maple", "oak", "pine")
    ]
    requests = [each.to_json() for each in requests_for(packs, root=tmp_path / "store")]
    ledger = Ledger(tmp_path / "store")
    with one_more_worker(tmp_path, cluster[0]) as victim:

        def kill_it_once_it_has_worked(progress):
            records = [record for each in requests for record in ledger.read_stages(each["run_id"]).values()]
            if any(record["worker"].endswith(f":{victim.pid}") for record in records):
                victim.kill()

        with observing(kill_it_once_it_has_worked):
            state = validate_batch(requests=requests, dask=cluster[0], at_once=8, return_state=True)
        assert victim.wait(30) == -signal.SIGKILL
    assert state.name == "Gold"


def test_an_address_where_nobody_answers_is_named(tmp_path):
    address = f"tcp://{LOOPBACK}:{free_port()}"
    packs = [str(copy_of_tiny_library(tmp_path / "ash"))]
    state = validate_batch(packs=packs, root=str(tmp_path / "store"), dask=address, return_state=True)
    assert state.name == "Failed"
    assert f"no Dask scheduler answers at {address}" in state.message


def test_what_is_no_address_is_named(tmp_path):
    packs = [str(copy_of_tiny_library(tmp_path / "ash"))]
    state = validate_batch(packs=packs, root=str(tmp_path / "store"), dask="nonsense://", return_state=True)
    assert state.name == "Failed"
    assert "no Dask scheduler answers at nonsense://" in state.message


WITHOUT_THE_EXTRA = """
import sys
sys.modules["prefect_dask"] = None
from flows.command import main
sys.exit(main(["batch", sys.argv[1], "--dask", "tcp://127.0.0.1:9"]))
"""


def test_without_the_extra_the_command_says_what_to_install(tmp_path):
    pack = copy_of_tiny_library(tmp_path / "ash")
    shown = subprocess.run(
        [sys.executable, "-c", WITHOUT_THE_EXTRA, str(pack)], capture_output=True, text=True, timeout=60, check=False
    )
    assert shown.returncode == 1
    assert shown.stderr == "assay: prefect-dask is not installed, which Dask needs: pip install 'assay[dask]'\n"
