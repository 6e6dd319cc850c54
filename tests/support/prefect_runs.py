"""What Prefect's server says about runs."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from prefect.client.orchestration import get_client
from prefect.client.schemas.filters import FlowRunFilter, FlowRunFilterId, LogFilter, LogFilterTaskRunId
from prefect.client.schemas.sorting import TaskRunSort

if TYPE_CHECKING:
    from uuid import UUID

    from prefect.client.schemas.objects import FlowRun, State, TaskRun

PATIENCE_S = 20


@dataclass(frozen=True)
class RecordedRun:
    """A flow run and its task runs, by the name of their task run."""

    flow_run: FlowRun
    tasks: dict[str, TaskRun]

    def state_names(self) -> dict[str, str]:
        """Return task run -> name of the state it is in."""
        return {name: str(run.state_name) for name, run in self.tasks.items()}


def recorded_run(state: State, *, tasks: int) -> RecordedRun:
    """Return what the server has recorded of the flow run that ended in a state.

    Task runs reach the server a moment later than flow runs, so this waits until that many have ended.
    """
    flow_run_id = state.state_details.flow_run_id
    assert flow_run_id is not None
    deadline = time.monotonic() + PATIENCE_S
    with get_client(sync_client=True) as client:
        while True:
            found = _task_runs(flow_run_id)
            if sum(run.state is not None and run.state.is_final() for run in found) >= tasks:
                return RecordedRun(client.read_flow_run(flow_run_id), {run.name: run for run in found})
            assert time.monotonic() < deadline, f"only {[(run.name, run.state_name) for run in found]}"
            time.sleep(0.2)


def log_of(task_run: TaskRun) -> str:
    """Return what a task run has logged, waiting for its last line: logs reach the server in batches."""
    of_this_run = LogFilter(task_run_id=LogFilterTaskRunId(any_=[task_run.id]))
    deadline = time.monotonic() + PATIENCE_S
    with get_client(sync_client=True) as client:
        while True:
            text = "\n".join(each.message for each in client.read_logs(log_filter=of_this_run))
            if "Finished in state" in text:
                return text
            assert time.monotonic() < deadline, text
            time.sleep(0.2)


def _task_runs(flow_run_id: UUID) -> list[TaskRun]:
    with get_client(sync_client=True) as client:
        of_this_run = FlowRunFilter(id=FlowRunFilterId(any_=[flow_run_id]))
        found: list[TaskRun] = client.read_task_runs(flow_run_filter=of_this_run, sort=TaskRunSort.END_TIME_DESC)
        return found
