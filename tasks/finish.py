"""The task that closes the run of one pack."""

from __future__ import annotations

from typing import Any

from prefect import task

from assay import runner
from assay.runner import ArtifactRef, RunRequest
from tasks.retries import BACK_OFF, JITTER, is_fault_of_the_machine


@task(
    name="finish",
    task_run_name="finish {pack}",
    persist_result=False,
    retries=len(BACK_OFF),
    retry_delay_seconds=list(BACK_OFF),
    retry_jitter_factor=JITTER,
    retry_condition_fn=is_fault_of_the_machine,
)
def finish(pack: str, request: dict[str, Any], artifacts: dict[str, Any]) -> dict[str, Any]:
    """Assemble the report, write the views of this run and close it in the ledger.

    It is never cached: every run leaves its own entry and its own views, even when all its stages were there already.

    Args:
        pack: what people call the pack; for names only.
        request: a `RunRequest` as JSON.
        artifacts: stage -> `ArtifactRef` as JSON, for every stage.

    Returns:
        the report as JSON.

    Raises:
        StageCrash: for a fault of the machine; Prefect tries again.
    """
    del pack
    references = {stage: ArtifactRef.from_json(facts) for stage, facts in artifacts.items()}
    return runner.finish(RunRequest.from_json(request), references).to_json()
