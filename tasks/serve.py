"""The task that opens the run of one pack of a batch, and ends it at once when everything is in the store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from prefect import task
from prefect.states import Completed

from assay import runner
from assay.runner import RunRequest
from tasks.retries import BACK_OFF, JITTER, is_fault_of_the_machine
from tasks.stage import CACHED

if TYPE_CHECKING:
    from prefect.client.schemas.objects import State


@task(
    name="serve",
    task_run_name="serve {pack}",
    persist_result=False,
    retries=len(BACK_OFF),
    retry_delay_seconds=list(BACK_OFF),
    retry_jitter_factor=JITTER,
    retry_condition_fn=is_fault_of_the_machine,
)
def serve(pack: str, request: dict[str, Any]) -> State[dict[str, Any]] | None:
    """Open the run in the ledger, and carry it out from the store alone if every artifact is there.

    In most nights most packs are what they were. For such a pack this is the only task run, and its state is `Cached`;
    to show each of its stages as `Cached` would take ten times as long and tell nobody anything. The ledger has its
    stages all the same.

    Args:
        pack: what people call the pack; for names only.
        request: a `RunRequest` as JSON.

    Returns:
        stage -> `ArtifactRef` as JSON under `artifacts`, and the report; None when a stage is to be executed.

    Raises:
        StageCrash: for a fault of the machine; Prefect tries again.
    """
    del pack
    asked = RunRequest.from_json(request)
    runner.begin(asked)
    served = runner.serve(asked)
    if served is None:
        return None
    references, report = served
    artifacts = {stage: reference.to_json() for stage, reference in references.items()}
    return Completed(name=CACHED, data={"artifacts": artifacts, "report": report.to_json()})
