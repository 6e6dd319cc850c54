from __future__ import annotations

import pytest
from prefect.states import Failed

from assay.config import ConfigError
from assay.runner import RunError, StageCrash
from tasks.begin import begin
from tasks.retries import BACK_OFF, is_fault_of_the_machine


@pytest.mark.parametrize(
    ("error", "again"),
    [
        (StageCrash("no space left"), True),
        (RunError("no verdict"), False),
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
