"""What is tried again, and when.

Only faults of the machine are: no space, no memory, an artifact that vanished. A verdict is a result however bad it is,
and a run config that cannot be used does not get better by waiting (rulings 4 and 40).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from assay.runner import StageCrash

if TYPE_CHECKING:
    from prefect import Task
    from prefect.client.schemas.objects import State, TaskRun

BACK_OFF: Final = (1.0, 4.0)
"""Seconds before each further attempt; their number is the number of retries."""

JITTER: Final = 0.5
"""Share by which a delay may be stretched, so that many tasks do not return to a full disk at the same moment."""


def is_fault_of_the_machine(task: Task[Any, Any], task_run: TaskRun, state: State[Any]) -> bool:
    """Say whether a failed attempt may be made again (Prefect's `retry_condition_fn`).

    At this moment Prefect keeps the exception itself as the data of the state.
    """
    del task, task_run
    return isinstance(state.data, StageCrash)
