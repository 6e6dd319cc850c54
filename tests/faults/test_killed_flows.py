"""The flow's process killed, and Prefect's server restarted, in the middle of a batch."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest

import flows.server_process
from assay.pipeline import PIPELINE
from benchmarks.fleet_database import database, database_programs
from flows.validate_batch import validate_batch
from tests.faults.driver import kill_and_require_no_orphan, whole_stages
from tests.support.dask_cluster import free_port
from tests.support.packs import TINY_LIBRARY
from tests.support.tables import tables_below

pytestmark = pytest.mark.xdist_group("prefect")

PATIENCE_S = 240

BATCH = """
import sys
from flows import StageEnded, run_packs
from flows.requests import requests_for

def observe(progress):
    if isinstance(progress, StageEnded):
        print(progress.stage.stage, flush=True)

outcomes = run_packs(requests_for(sys.argv[2:], root=sys.argv[1]), together=True, observe=observe)
print(*(each.status for each in outcomes))
"""


@contextmanager
def batch(root, api):
    """Run a batch in a process of its own; give it, with the stages that end on its standard output."""
    command = [sys.executable, "-c", BATCH, str(root), str(TINY_LIBRARY)]
    with subprocess.Popen(
        command, env={**os.environ, "PREFECT_API_URL": api}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def wait_for_stage(stage, process):
    for line in process.stdout:
        if line.strip() == stage:
            return
    raise AssertionError(f"{stage} never ended: {process.stderr.read()}")


def require_recovery(root, undisturbed):
    there = whole_stages(root)
    state = validate_batch(packs=[str(TINY_LIBRARY)], root=str(root), return_state=True)
    assert state.name == "Gold"
    (pack,) = state.result()["packs"]
    assert (pack["cached_stages"], pack["computed_stages"]) == (len(there), len(PIPELINE) - len(there))
    assert tables_below(root) == undisturbed.tables


@pytest.mark.parametrize("stage", ["load", "trace"])
def test_a_flow_that_is_killed_is_taken_up(undisturbed, prefect_api, tmp_path, stage):
    with batch(tmp_path, prefect_api) as process:
        wait_for_stage(stage, process)
        kill_and_require_no_orphan(process.pid)
    assert stage in whole_stages(tmp_path)
    require_recovery(tmp_path, undisturbed)


@contextmanager
def server(port, **environment):
    """Run a server beside the session's; on the same database, unless the environment names another."""
    command = [sys.executable, "-P", flows.server_process.__file__, str(port)]
    with (Path(os.environ["PREFECT_HOME"]) / "restarted.log").open("ab") as log:
        process = subprocess.Popen(
            command,
            env={**os.environ, **environment},
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        wait_until_up(port, process)
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdin.close()


def wait_until_up(port, process):
    deadline = time.monotonic() + PATIENCE_S
    while True:
        assert process.poll() is None
        assert time.monotonic() < deadline
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/health", timeout=5):
                return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.1)


def test_a_server_that_is_killed_and_started_again_loses_nothing(undisturbed, prefect_api, tmp_path):
    """Whether the flow outlives it is up to Prefect's client; what is finished is finished either way."""
    port = free_port()
    with server(port) as first, batch(tmp_path, f"http://127.0.0.1:{port}/api") as process:
        wait_for_stage("load", process)
        first.kill()
        first.wait()
        with server(port):
            process.communicate(timeout=PATIENCE_S)
    assert "load" in whole_stages(tmp_path)
    require_recovery(tmp_path, undisturbed)


@contextmanager
def restartable_database():
    """Run PostgreSQL; give its URL, and a function that ends it at once, as a power cut does, and starts it again."""
    with tempfile.TemporaryDirectory() as name, database(Path(name)) as (url, _):
        data, sockets = Path(name, "database"), Path(name, "socket")
        user = {"user": "postgres", "group": "postgres", "extra_groups": []} if os.geteuid() == 0 else {}

        def control(*arguments):
            command = [database_programs() / "pg_ctl", "-D", data, "-m", "immediate", "-w", "-s", *arguments]
            silent = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
            subprocess.run(command, cwd="/", check=True, timeout=PATIENCE_S, **silent, **user)

        started_again = []

        def restart():
            control("restart", "-o", f"-k {sockets} -h ''")
            started_again.append(True)

        try:
            yield url, restart
        finally:
            if started_again:
                control("stop")


@pytest.mark.skipif(database_programs() is None, reason="PostgreSQL is not installed")
def test_a_database_that_is_restarted_loses_nothing(undisturbed, prefect_api, tmp_path):
    port = free_port()
    with restartable_database() as (url, restart):
        environment = {
            "PREFECT_HOME": str(tmp_path / "home"),
            "PREFECT_SERVER_DATABASE_CONNECTION_URL": url,
        }
        (tmp_path / "home").mkdir()
        store = tmp_path / "store"
        with server(port, **environment), batch(store, f"http://127.0.0.1:{port}/api") as process:
            wait_for_stage("load", process)
            restart()
            process.communicate(timeout=PATIENCE_S)
    assert "load" in whole_stages(store)
    require_recovery(store, undisturbed)
