from __future__ import annotations

import pytest
from prefect.states import Failed

from assay.config import ConfigError
from assay.runner import DeadlinePassed, NotReproducible, RunError, StageCrash
from tasks.begin import begin
from tasks.catalogue import STAGE_TASKS
from tasks.finish import finish
from tasks.retries import BACK_OFF, JITTER, is_fault_of_the_machine
from tasks.serve import serve


@pytest.mark.parametrize(
    ("error", "again"),
    [
        (StageCrash("no space left"), True),
        (RunError("no verdict"), False),
        (NotReproducible("other bytes"), False),
        (DeadlinePassed("too late"), False),
        (ConfigError("no_such_setting"), False),
        (ValueError("a bug"), False),
        (None, False),
    ],
)
def test_only_a_fault_of_the_machine_is_tried_again(error, again):
    assert is_fault_of_the_machine(begin, None, Failed(data=error)) is again


def test_the_waits_grow():
    assert list(BACK_OFF) == sorted(BACK_OFF)
    assert BACK_OFF[0] > 0
    assert JITTER > 0


@pytest.mark.parametrize("task", [begin, serve, *STAGE_TASKS.values(), finish], ids=lambda task: task.name)
def test_every_task_has_the_one_policy(task):
    assert (task.retries, task.retry_delay_seconds) == (len(BACK_OFF), list(BACK_OFF))
    assert task.retry_jitter_factor == JITTER
    assert task.retry_condition_fn is is_fault_of_the_machine
