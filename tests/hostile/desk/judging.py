"""The well-behaved part of every hostile assertions module."""


def assert_record_reported(*, state, trace, task, ctx) -> None:
    """The record that the user asked for was found, as it stands in the state."""
    del ctx
    assert len(trace) == 1, f"{len(trace)} calls"
    (call,) = trace
    assert call["tool"] == "get_record", f"called {call['tool']}"
    assert call["arguments"] == {"record_id": task["slots"]["record_id"]}, f"asked for {call['arguments']}"
    (row,) = (each for each in state["records"] if each["record_id"] == task["slots"]["record_id"])
    reported = {name: call["result"].get(name) for name in row}
    assert reported == row, f"answered {reported}"


def outcome(action, *arguments, **options):
    """Return what an action raises, by name, or that it succeeded and what it returned."""
    try:
        returned = action(*arguments, **options)
    except BaseException as problem:
        return type(problem).__name__
    return f"succeeded: {returned!r}"[:200]
