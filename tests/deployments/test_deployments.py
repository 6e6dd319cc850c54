"""The operator's road, as `deployments/README.md` describes it, on a real site."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path

import psutil
import pytest

from assay.artifacts.catalog import ask
from tests.support.packs import copy_of_tiny_library

pytestmark = pytest.mark.xdist_group("site")

PATIENCE_S = 240


def runs_of(site, deployment, count):
    """Wait until the runs of a deployment that the guide set off have ended; return them, oldest first.

    An event takes a moment to become a run. What other tests set off on the site is not among them.
    """
    deadline = time.monotonic() + PATIENCE_S
    while len(found := _due(site, deployment)) < count and time.monotonic() < deadline:
        time.sleep(0.3)
    assert len(found) == count
    ended = site.wait_for(found, PATIENCE_S)
    return sorted(ended, key=lambda each: each["start_time"])


def _due(site, deployment):
    found = site.query(
        "/flow_runs/filter",
        {
            "deployments": {"name": {"any_": [deployment]}},
            "flow_runs": {"expected_start_time": {"before_": _in_a_minute()}},
        },
    )
    return [each["id"] for each in found if each["id"] not in site.set_off_here]


def _in_a_minute():
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 60))


def deployment_of(site, name):
    (found,) = site.query("/deployments/filter", {"deployments": {"name": {"any_": [name]}}})
    return found


def test_the_nightly_deployment_is_scheduled_bounded_and_fetches_no_code(site, packs_of_the_site):
    nightly = deployment_of(site, "nightly")
    assert nightly["entrypoint"] == "flows.validate_batch.validate_batch"
    assert nightly["pull_steps"] in (None, [])
    assert nightly["path"] is None
    assert [each["schedule"]["cron"] for each in nightly["schedules"]] == ["15 2 * * *"]
    assert [each["parameters"] for each in nightly["schedules"]] == [{"jitter_s": 60}]
    assert nightly["parameters"]["packs"] == [str(packs_of_the_site)]
    assert nightly["parameters"]["deadline_s"] == 900
    assert nightly["work_pool_name"] == "assay"
    assert nightly["global_concurrency_limit"]["limit"] == 2


def test_what_was_set_off_by_hand_ends_in_states_that_say_what_came_of_it(site):
    (one,) = runs_of(site, "one-pack", 1)
    assert (one["state_type"], one["state_name"]) == ("COMPLETED", "Gold")
    assert one["name"] == "tiny_library@0.1.0"
    assert {"assay", "pack:tiny_library"} <= set(one["tags"])
    nightly = {each["name"]: each for each in runs_of(site, "nightly", 3)}
    assert {name: each["state_name"] for name, each in nightly.items()} == {
        "packs": "NotGold",
        "packs 1/2": "NotGold",
        "packs 2/2": "Gold",
    }
    assert {each["state_type"] for each in nightly.values()} == {"COMPLETED"}
    assert {"pack:red_library", "pack:tiny_library"} <= set(nightly["packs"]["tags"])


def test_a_changed_pack_that_an_event_names_is_proven(site):
    (changed,) = runs_of(site, "on-change", 1)
    assert changed["parameters"]["packs"] == [str(Path(site.environment["ASSAY_PACKS"]) / "tiny_library")]
    assert changed["state_name"] == "Gold"
    assert changed["work_queue_name"] == "on-change"


def test_reports_and_ledger_have_every_pack(site):
    runs_of(site, "nightly", 3)
    summary = json.loads((site.folder / "reports" / "summary.json").read_text())
    assert {each["pack_id"]: each["status"] for each in summary["packs"]} == {
        "red_library": "not_gold",
        "tiny_library": "gold",
    }
    _, rows = ask(
        site.folder / "store",
        f"select pack_id, status from batches where batch_id = '{summary['batch_id']}' order by all",
    )
    assert rows == [("red_library", "not_gold"), ("tiny_library", "gold")]


def test_a_run_whose_process_is_killed_is_started_again_and_completes(site):
    """The automations' promise. Nothing else is on the site that takes so long."""
    slow = copy_of_tiny_library(
        site.folder / "slow" / "pack",
        ("manifest.yaml", "pack_id: tiny_library", "pack_id: slow_library"),
        ("backend.py", "def list_tools():\n", 'def list_tools():\n    __import__("time").sleep(3)\n'),
    )
    reports = str(site.folder / "slow" / "reports")
    run = site.set_off("validate_batch/nightly", {"packs": [str(slow)], "output_dir": reports})
    process = _process_of(site, run)
    os.kill(process.pid, signal.SIGKILL)
    (ended,) = site.wait_for([run], PATIENCE_S, {"COMPLETED", "FAILED"})
    assert ended["state_name"] == "Gold"
    assert ended["run_count"] >= 2


def _process_of(site, run):
    """Return the process that executes a flow run, once it has begun with a pack."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if site.ask(f"/flow_runs/{run}")["state_name"] == "Running":
            workers = [psutil.Process(each.pid) for name, each in site.processes.items() if name != "server"]
            found = [child for worker in workers for child in worker.children() if _executes(child, run)]
            if found:
                return found[0]
        time.sleep(0.1)
    raise AssertionError("the run did not begin")


def _executes(process, run):
    try:
        return process.environ().get("PREFECT__FLOW_RUN_ID") == run
    except psutil.Error:
        return False


@pytest.mark.parametrize("kind", ["docker", "kubernetes"])
def test_a_server_accepts_the_templates_of_pools_for_containers(site, kind):
    template = Path(__file__).parents[2] / "deployments" / "pools" / f"{kind}.json"
    site.prefect("work-pool", "create", f"assay-{kind}", "--type", kind, "--base-job-template", str(template))
    pool = site.ask(f"/work_pools/assay-{kind}")
    assert pool["type"] == kind
    assert pool["base_job_template"] == json.loads(template.read_text())
