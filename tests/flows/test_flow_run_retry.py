"""A flow run that failed and is retried on Prefect's page."""

from __future__ import annotations

import pytest
from prefect.client.orchestration import get_client
from prefect.flow_engine import run_flow
from prefect.states import AwaitingRetry

from assay.artifacts.ledger import Ledger
from assay.pipeline import PIPELINE, stages_from
from assay.runner import RunRequest
from flows.validate_pack import validate_pack
from tasks.catalogue import STAGE_TASKS
from tests.support.packs import TINY_LIBRARY
from tests.support.stores import run_once, tables_of

pytestmark = [pytest.mark.xdist_group("prefect"), pytest.mark.usefixtures("prefect_api")]

STAGES = {stage.name for stage in PIPELINE}


def execute(flow_run):
    """Do what the process does that a worker starts for a flow run."""
    return run_flow(validate_pack, flow_run=flow_run, return_type="state")


def test_the_flow_is_executed_again_and_what_finished_is_served(tmp_path, monkeypatch):
    monkeypatch.setattr(STAGE_TASKS["replay"], "retry_delay_seconds", [0, 0])
    root = tmp_path / "store"
    root.mkdir()
    (root / "stage=replay").write_text("in the way")
    request = RunRequest(pack=str(TINY_LIBRARY), root=str(root))
    with get_client(sync_client=True) as client:
        flow_run = client.create_flow_run(validate_pack, parameters=request.to_json())
        failed = execute(flow_run)
        assert (failed.name, failed.type.value) == ("Failed", "FAILED")
        ledger = Ledger(root)
        assert ledger.read_run(request.run_id)["status"] == "error"
        assert ledger.read_stages(request.run_id)["replay"]["status"] == "crashed"

        (root / "stage=replay").unlink()
        client.set_flow_run_state(flow_run.id, AwaitingRetry(), force=True)
        again = execute(client.read_flow_run(flow_run.id))
        assert again.name == "Gold"
        assert client.read_flow_run(flow_run.id).run_count == 2
    run, stages = ledger.read_run(request.run_id), ledger.read_stages(request.run_id)
    assert (run["status"], run["attempt"]) == ("gold", 2)
    assert "error" not in run
    computed = {stage for stage, record in stages.items() if record["status"] == "computed"}
    assert computed == stages_from("replay")
    assert stages.keys() == STAGES

    run_once(TINY_LIBRARY, tmp_path / "undisturbed")
    assert tables_of(root) == tables_of(tmp_path / "undisturbed")
