"""The backend: what the tools do.

assay calls the four functions at the end. Every conversation starts with `reset`; nothing may survive from one to the
next, and nothing may depend on the clock of the machine (use `ctx.clock`), on chance (use `ctx.seed`) or on the order
of a set.
"""

from copy import deepcopy

_fixtures = {}
_state = {}


def _error(code, message, *, id=None, field=None):
    return {"error": {"code": code, "entity": "records", "id": id, "field": field, "message": message}}


def _get_record(arguments, ctx):
    record_id = arguments.get("record_id")
    if not isinstance(record_id, str):
        return _error("invalid_argument", "record_id must be text", field="record_id")
    for record in _state["records"]:
        if record["record_id"] == record_id:
            return deepcopy(record)
    return _error("not_found", "no such record", id=record_id, field="record_id")


_TOOLS = {"get_record": _get_record}


def list_tools():
    """Return the names of the tools; tools.json must list the same ones."""
    return list(_TOOLS)


def reset(*, ctx, fixtures=None):
    """Start a conversation: forget everything and take the fixtures (the last ones given, when none are)."""
    if fixtures is not None:
        _fixtures.clear()
        _fixtures.update(deepcopy(fixtures))
    if not _fixtures:
        raise RuntimeError("the first reset must bring fixtures")
    _state.clear()
    _state.update(deepcopy(_fixtures))


def call_tool(name, arguments, *, ctx):
    """Carry out one call and return its result, an object."""
    if name not in _TOOLS:
        return _error("invalid_argument", f"there is no tool named {name}", field="name")
    return _TOOLS[name](arguments, ctx)


def get_state():
    """Return everything that a call could have changed."""
    return deepcopy(_state)
