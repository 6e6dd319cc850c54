from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from assay.pipeline import PIPELINE
from flows import PackEnded, ServerUnavailable, StageEnded, run_packs
from flows.requests import requests_for
from tests.support.packs import TINY_LIBRARY, UNKNOWN_POLICY, copy_of_tiny_library

pytestmark = pytest.mark.xdist_group("prefect")

PROVE_ON_AN_EMBEDDED_SERVER = """
import sys
from flows import run_packs
from flows.requests import requests_for
assert "prefect" not in sys.modules
for outcome in run_packs(requests_for(sys.argv[2:], root=sys.argv[1])):
    print(outcome.pack_id, outcome.status, outcome.cached, len(outcome.stages))
"""


@pytest.fixture
def named_server(prefect_api, monkeypatch):
    monkeypatch.setenv("PREFECT_API_URL", prefect_api)


def test_importing_the_package_does_not_import_prefect():
    code = "import sys, flows, flows.requests; print([each for each in ('prefect', 'pandas') if each in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


@pytest.mark.usefixtures("named_server")
def test_packs_one_by_one_are_watched_and_come_back_in_order(tmp_path):
    red = copy_of_tiny_library(tmp_path / "red", UNKNOWN_POLICY)
    requests = requests_for([red, TINY_LIBRARY], root=tmp_path / "store")
    told = []
    outcomes = run_packs(requests, observe=told.append)
    assert [each.status for each in outcomes] == ["not_gold", "gold"]
    assert [each.run_id for each in outcomes] == [each.run_id for each in requests]
    assert [each.outcome for each in told if isinstance(each, PackEnded)] == outcomes
    assert sum(isinstance(each, StageEnded) for each in told) == 2 * len(PIPELINE)
    assert {each.status for each in outcomes[1].stages.values()} == {"computed"}

    (again,) = run_packs(requests_for([TINY_LIBRARY], root=tmp_path / "store"))
    assert {each.status for each in again.stages.values()} == {"cached"}
    assert again.report == outcomes[1].report


@pytest.mark.usefixtures("named_server")
def test_packs_together_leave_a_summary(tmp_path):
    requests = requests_for([TINY_LIBRARY], root=tmp_path / "store")
    (outcome,) = run_packs(requests, together=True, output_dir=str(tmp_path / "out"))
    assert outcome.status == "gold"
    assert (tmp_path / "out" / "summary.json").is_file()


def test_a_named_server_that_does_not_answer_is_named(monkeypatch):
    from prefect.settings import PREFECT_API_URL, temporary_settings

    url = "http://127.0.0.1:9/api"
    monkeypatch.setenv("PREFECT_API_URL", url)
    with temporary_settings({PREFECT_API_URL: url}), pytest.raises(ServerUnavailable, match=url):
        run_packs(requests_for([TINY_LIBRARY]))


@pytest.mark.usefixtures("prefect_api")
def test_an_embedded_server_serves_quietly_and_loses_nothing(tmp_path):
    home = os.environ["PREFECT_HOME"]
    command = [sys.executable, "-c", PROVE_ON_AN_EMBEDDED_SERVER, str(tmp_path / "store"), str(TINY_LIBRARY)]
    shown = subprocess.run(command, capture_output=True, text=True, check=True, timeout=90)
    assert shown.stdout == f"tiny_library gold 0 {len(PIPELINE)}\n"
    assert shown.stderr == ""
    log = (Path(home) / "server.log").read_text()
    assert "Traceback" not in log
    # That server has ended; what it recorded is in the database that it shares with the session's server.
    with sqlite3.connect(Path(home) / "prefect.db") as database:
        (flow_run,) = database.execute("select id from flow_run order by created desc limit 1").fetchone()
        states = database.execute("select state_type from task_run where flow_run_id = ?", [flow_run]).fetchall()
    database.close()
    assert states == [("COMPLETED",)] * (len(PIPELINE) + 2)


STOPPED_AT_THE_FIRST_STAGE = """
import sys
from flows import StageEnded, run_packs
from flows.requests import requests_for

def observe(progress):
    if isinstance(progress, StageEnded):
        print(progress.stage.stage, flush=True)

run_packs(requests_for(sys.argv[2:], root=sys.argv[1]), observe=observe)
"""


def test_an_interrupt_ends_the_run_and_the_next_one_takes_it_up(prefect_api, tmp_path):
    command = [sys.executable, "-c", STOPPED_AT_THE_FIRST_STAGE, str(tmp_path / "store"), str(TINY_LIBRARY)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "load\n"
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode != 0
    assert errors.rstrip().endswith("KeyboardInterrupt")

    named = {**os.environ, "PREFECT_API_URL": prefect_api}
    taken_up = subprocess.run(command, env=named, capture_output=True, text=True, check=True, timeout=90)
    assert taken_up.stdout.splitlines()[0] == "load"
    assert sorted(taken_up.stdout.split()) == sorted(stage.name for stage in PIPELINE)
