"""The contract's cases about tool schemas: arguments, definitions, and the calls of whole tasks."""

from __future__ import annotations

from assay.schema import argument_problems, definition_problems
from assay.stages.records import ExpectedCall, ExpectedTrace
from assay.stages.schema_check import check_traces
from tests.conformance.checks import drives
from tests.conformance.expectations import assert_expected
from tests.conformance.given import pack_of, plan_of, task_of


@drives("arguments")
def test_argument_failures(given, expect):
    failures = [*argument_problems(given["function"]["parameters"], given["arguments"])]
    assert_expected({"failures": failures, "reasons": [each["reason"] for each in failures]}, expect)


@drives("function_schema")
def test_tool_definitions(given, expect):
    problems = definition_problems({"type": "function", "function": given["function"]})
    told = {
        "failures": [each.to_json() for each in problems],
        "reasons": [each.reason for each in problems],
    }
    assert_expected(told, expect)


@drives("validate_task")
def test_stored_calls(given, expect):
    pack = pack_of(given, {"template_id": given["task"]["template_id"]})
    task = task_of(pack, given["task"])
    calls = tuple(ExpectedCall(milestone=index, **call) for index, call in enumerate(given["calls"]))
    trace = ExpectedTrace(task_id=task.task_id, template_id=task.template_id, turn_policy=task.turn_policy, calls=calls)
    result = check_traces(pack, [task], [plan_of(pack, task)], [trace])
    (check,) = result.checks
    assert not check.valid
    assert_expected({"reasons": [each["reason"] for each in check.failures]}, expect)
    assert_expected({"reasons": [each.code for each in result.findings]}, expect)
