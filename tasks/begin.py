"""The task that opens the run of one pack."""

from __future__ import annotations

from typing import Any

from prefect import task

from assay import runner
from assay.runner import RunRequest
from tasks.retries import BACK_OFF, JITTER, is_fault_of_the_machine


@task(
    name="begin",
    task_run_name="begin {pack}",
    persist_result=False,
    retries=len(BACK_OFF),
    retry_delay_seconds=list(BACK_OFF),
    retry_jitter_factor=JITTER,
    retry_condition_fn=is_fault_of_the_machine,
)
def begin(pack: str, request: dict[str, Any]) -> None:
    """Open the run in the ledger, so that a run that dies leaves a trace.

    Args:
        pack: what people call the pack; for names only.
        request: a `RunRequest` as JSON.

    Raises:
        StageCrash: when nothing can be written there; Prefect tries again.
    """
    del pack
    runner.begin(RunRequest.from_json(request))
