from __future__ import annotations

import pytest

from assay.checks.timeout import check_timeout, timeout_finding
from assay.oracle.evidence import Failure, FailureKind
from tests.support.quay import Quay, config_of, load, running


def test_a_hung_call_is_ended_on_this_machine(tmp_path):
    quay = Quay(tmp_path)
    pack, config = load(quay), config_of(quay)
    with running(pack, config) as engine:
        assert check_timeout(engine) == ()


@pytest.mark.parametrize(
    ("kind", "op", "code"),
    [
        (FailureKind.BAD_REPLY, "call_tool", "hung_call_was_not_terminated"),
        (FailureKind.TIMEOUT, "budget", "timeout_overran_its_budget"),
        (FailureKind.TIMEOUT, "import", "timeout_worker_failed"),
        (FailureKind.DIED, "start_child", "timeout_worker_failed"),
    ],
)
def test_what_went_wrong_has_the_code_of_its_step(kind, op, code):
    told = timeout_finding(Failure(kind=kind, op=op, message="it went wrong"))
    assert (told.code, told.severity, str(told.check), told.place) == (code, "error", "T1", None)
    assert "it went wrong" in told.message
    assert told.detail["failure"]["op"] == op
