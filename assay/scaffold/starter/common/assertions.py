"""What makes a conversation a success.

Each assertion gets the state after the last call, the calls with their results, and the bound task. It returns nothing
when satisfied. Make every one of them fail once on purpose: an assertion that cannot fail proves nothing.
"""


def _only_result(trace, task):
    """Check that the one expected call was made, and return its result."""
    expected = [("get_record", {"record_id": task["slots"]["record_id"]})]
    made = [(entry["tool"], entry["arguments"]) for entry in trace]
    assert made == expected, f"called {made} instead of {expected}"
    return trace[0]["result"]


def assert_record_reported(*, state, trace, task, ctx) -> None:
    """The record was read once, and the answer is the record as the state holds it."""
    result = _only_result(trace, task)
    records = [record for record in state["records"] if record["record_id"] == task["slots"]["record_id"]]
    assert records == [result], f"answered {result} for {records}"


def assert_record_not_found(*, state, trace, task, ctx) -> None:
    """The lookup was refused as a miss, and the refusal names the id."""
    error = _only_result(trace, task).get("error")
    assert isinstance(error, dict), "expected a structured error"
    assert error.get("code") == "not_found", f"refused with {error.get('code')}"
    assert error.get("id") == task["slots"]["record_id"], f"the miss is about {error.get('id')}"


def assert_no_tool_called(*, state, trace, task, ctx) -> None:
    """Nothing was called."""
    assert not trace, f"called {[entry['tool'] for entry in trace]}"


ASSERTIONS = {
    "assert_record_reported": assert_record_reported,
    "assert_record_not_found": assert_record_not_found,
    "assert_no_tool_called": assert_no_tool_called,
}

# Read from this file's text, so it must be written out. `trace` says that the calls and results alone would do.
ASSERTION_CAPABILITIES = {
    "assert_record_reported": {"trace": False, "executable": True, "category": "result"},
    "assert_record_not_found": {"trace": True, "executable": True, "category": "result"},
    "assert_no_tool_called": {"trace": True, "executable": True, "category": "path"},
}
