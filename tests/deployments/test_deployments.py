"""The operator's road, as `deployments/README.md` describes it, against a real server and a real worker."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from prefect.client.orchestration import get_client
from prefect.client.schemas.filters import DeploymentFilter, DeploymentFilterName

from tests.support.packs import TINY_LIBRARY, UNKNOWN_POLICY, copy_of_tiny_library

pytestmark = pytest.mark.xdist_group("prefect")

DEPLOYMENTS = Path(__file__).parents[2] / "deployments"
PATIENCE_S = 60


@pytest.fixture(scope="module")
def operator(prefect_api, tmp_path_factory):
    """Deploy everything as an operator would; give a function that runs `prefect` from a folder of its own."""
    folder = tmp_path_factory.mktemp("operator")
    copy_of_tiny_library(folder / "packs" / "good")
    copy_of_tiny_library(folder / "packs" / "red", UNKNOWN_POLICY)
    environment = {
        **os.environ,
        "PREFECT_API_URL": prefect_api,
        "ASSAY_POOL": "assay",
        "ASSAY_PACKS": str(folder / "packs"),
        "ASSAY_ROOT": str(folder / "store"),
        "ASSAY_REPORTS": str(folder / "reports"),
    }

    def prefect(*arguments: str) -> str:
        command = [sys.executable, "-m", "prefect", *arguments]
        shown = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE_S, check=False
        )
        assert shown.returncode == 0, shown.stdout + shown.stderr
        return shown.stdout

    prefect("work-pool", "create", "assay", "--type", "process")
    prefect("deploy", "--all", "--prefect-file", str(DEPLOYMENTS / "prefect.yaml"))
    return folder, prefect


def read_deployment(name):
    with get_client(sync_client=True) as client:
        wanted = DeploymentFilter(name=DeploymentFilterName(any_=[name]))
        (deployment,) = client.read_deployments(deployment_filter=wanted)
        return deployment


def state_of_the_last_run(name):
    with get_client(sync_client=True) as client:
        runs = client.read_flow_runs(deployment_filter=DeploymentFilter(name=DeploymentFilterName(any_=[name])))
        return next(run for run in runs if run.start_time is not None)


def test_the_nightly_deployment_is_scheduled_and_fetches_no_code(operator):
    folder, _ = operator
    nightly = read_deployment("nightly")
    assert nightly.entrypoint == "flows.validate_batch.validate_batch"
    assert nightly.pull_steps in (None, [])
    assert nightly.path is None
    assert [each.schedule.cron for each in nightly.schedules] == ["15 2 * * *"]
    assert nightly.parameters["packs"] == [str(folder / "packs")]
    assert nightly.work_pool_name == "assay"


def test_a_worker_carries_out_what_is_triggered(operator):
    folder, prefect = operator
    prefect("deployment", "run", "validate_pack/one-pack", "--param", f"pack={TINY_LIBRARY}")
    prefect("deployment", "run", "validate_batch/nightly")
    prefect("worker", "start", "--pool", "assay", "--run-once", "--name", "once")

    one = state_of_the_last_run("one-pack")
    assert (one.state_type.value, one.state_name) == ("COMPLETED", "Gold")
    assert one.name.startswith("tiny_library@")
    batch = state_of_the_last_run("nightly")
    assert (batch.state_type.value, batch.state_name) == ("COMPLETED", "NotGold")
    summary = json.loads((folder / "reports" / "summary.json").read_text())
    assert [each["status"] for each in summary["packs"]] == ["gold", "not_gold"]


def test_nothing_of_this_machine_is_in_the_files_that_are_shipped():
    for file in DEPLOYMENTS.iterdir():
        text = file.read_text(encoding="utf-8")
        assert str(Path.home()) not in text
        assert str(DEPLOYMENTS.parent) not in text


def test_the_compose_file_names_the_services_that_the_guide_describes():
    compose = yaml.safe_load((DEPLOYMENTS / "compose.yaml").read_text())
    assert set(compose["services"]) == {"database", "server", "worker"}
