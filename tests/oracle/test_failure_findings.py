from __future__ import annotations

import pytest

from assay.findings import Check, Place
from assay.oracle.evidence import CallTool, Failure, FailureKind, GetState, Reset, failure_from_json
from assay.oracle.failures import code_of, failure_finding
from tests.oracle.running import backend, call, run_one

HERE = Place("task_templates.yaml", 12, 3)


@pytest.mark.parametrize(
    ("facts", "code"),
    [
        ({"kind": FailureKind.TIMEOUT, "op": "import", "limit": "import"}, "import_timeout"),
        ({"kind": FailureKind.TIMEOUT, "op": "reset", "limit": "reset"}, "reset_timeout"),
        ({"kind": FailureKind.TIMEOUT, "op": "call_tool", "limit": "tool"}, "tool_timeout"),
        ({"kind": FailureKind.TIMEOUT, "op": "get_state", "limit": "tool"}, "tool_timeout"),
        ({"kind": FailureKind.TIMEOUT, "op": "assertion", "limit": "assertion"}, "assertion_timeout"),
        ({"kind": FailureKind.TIMEOUT, "op": "call_tool", "limit": "episode"}, "episode_timeout"),
        ({"kind": FailureKind.DIED, "op": "reset"}, "worker_died"),
        ({"kind": FailureKind.RAISED, "op": "call_tool"}, "executable_replay_failed"),
        ({"kind": FailureKind.NOT_JSON, "op": "get_state"}, "non_json_result"),
        ({"kind": FailureKind.TOO_LARGE, "op": "call_tool"}, "result_too_large"),
        ({"kind": FailureKind.BAD_REPLY, "op": "call_tool"}, "bad_worker_reply"),
    ],
)
def test_each_failure_has_its_code(facts, code):
    failure = Failure(message="it happened", **facts)
    assert code_of(failure) == code
    told = failure_finding(failure, at=HERE, template_id="lend", tool="look")
    assert (told.code, told.check, told.place) == (code, Check.REPRESENTATIVE_GENERATION_CONTRACT, HERE)
    assert (told.template_id, told.tool, told.is_error) == ("lend", "look", True)
    assert told.detail == failure.to_json()
    assert failure_from_json(failure.to_json()) == failure


def test_the_failures_own_place_comes_first_and_the_check_can_be_another():
    failure = Failure(kind=FailureKind.RAISED, op="reset", message="KeyError: 'a'", place=Place("backend.py", 3, 5))
    told = failure_finding(failure, at=HERE, check=Check.DECLARED_VALIDATION_CASES, case_id="c1")
    assert (told.place, told.check, told.case_id) == (failure.place, Check.DECLARED_VALIDATION_CASES, "c1")
    assert told.message == "The reset failed: KeyError: 'a'."


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (
            "import time\ntime.sleep(60)",
            "The call of probe was still running when the tool limit of 0.3 s was reached.",
        ),
        ("import os\nos._exit(3)", "The worker ended during the call of probe: it exited with code 3."),
        ("raise KeyError('lamp')", "The call of probe failed: KeyError: 'lamp'."),
        ("return {'a': {1}}", "The call of probe failed: result.a is a set."),
    ],
)
def test_messages_name_the_call_and_what_happened(engine_of, code, message):
    failure = run_one(engine_of(backend(code), limits={"tool_s": 0.3}), Reset(), call(), GetState()).failure
    assert failure is not None
    assert failure_finding(failure, tool="probe").message == message


def test_a_message_is_one_sentence_that_utf_8_can_carry():
    told = failure_finding(Failure(kind=FailureKind.RAISED, op="call_tool", message="ValueError: \ud800 no!"))
    assert told.message == "The call failed: ValueError: \\ud800 no!"


def test_where_confinement_may_be_the_cause_the_fix_says_so(engine_of):
    engine = engine_of(backend("return {'x': open('/etc/passwd').read()}"))
    failure = run_one(engine, Reset(), CallTool("probe", {})).failure
    if failure is None:
        pytest.skip("files are not confined here")
    told = failure_finding(failure, tool="probe")
    assert "runs confined" in told.fix
    assert "runs confined" not in failure_finding(Failure(kind=FailureKind.DIED, op="reset", message="x")).fix
