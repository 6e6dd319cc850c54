"""The well-behaved part of every hostile backend: a desk that answers for records.

`backend` returns the four callables. What a module tries stands in its own functions, which the desk calls in the
phase that they are given for; what they return is reported under `seen` in the result of the call.
"""

import copy

STATE = {}


def backend(*, reset=None, call=None, answer=None, state=None):
    """Return `list_tools`, `reset`, `call_tool` and `get_state`.

    Args:
        reset: run in each reset, after the desk's own work.
        call: run in each call; what it returns is reported.
        answer: makes the whole result of a call from the honest one.
        state: makes the whole state from the honest one.
    """

    def reset_desk(ctx, fixtures=None):
        STATE.clear()
        STATE.update(copy.deepcopy(fixtures))
        if reset is not None:
            reset()

    def call_tool(name, arguments, ctx):
        result = _find(arguments.get("record_id"))
        if call is not None:
            seen = call()
            result = result if seen is None else {**result, "seen": seen}
        return result if answer is None else answer(result)

    def get_state():
        return copy.deepcopy(STATE) if state is None else state(copy.deepcopy(STATE))

    return _list_tools, reset_desk, call_tool, get_state


def outcome(action, *arguments, **options):
    """Return what an action raises, by name, or that it succeeded and what it returned."""
    try:
        returned = action(*arguments, **options)
    except BaseException as problem:
        return type(problem).__name__
    return f"succeeded: {returned!r}"[:200]


def _list_tools():
    return ["get_record"]


def _find(record_id):
    if not isinstance(record_id, str):
        return _error("invalid_argument", record_id)
    for record in STATE["records"]:
        if record["record_id"] == record_id:
            return copy.deepcopy(record)
    return _error("not_found", record_id)


def _error(code, record_id):
    return {"error": {"code": code, "entity": "records", "id": record_id, "field": "record_id", "message": code}}
