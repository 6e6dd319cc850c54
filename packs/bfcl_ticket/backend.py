"""Adapts the installed class `TicketAPI` of bfcl-eval to the four functions that assay calls.

The class is used as it is. What stands between it and the contract, and nothing else, is done here:

* a fresh object for every reset, loaded from the fixtures, so that no conversation sees another;
* arguments are held against the published schema, because the class trusts its callers;
* its three ways of saying no (an `error` text, a list with such an object in it, `success: false`) become the one
  structured error of the contract;
* results are copies and always objects: the class hands out its own rows, and one tool answers with a bare list.
"""

import json
from copy import deepcopy
from pathlib import Path

from bfcl_eval.eval_checker.multi_turn_eval.func_source_code.ticket_api import TicketAPI

_SCHEMAS = {
    tool["function"]["name"]: tool["function"]["parameters"]
    for tool in json.loads(Path(__file__).with_name("tools.json").read_text(encoding="utf-8"))
}
_PYTHON_TYPES = {"string": str, "integer": int, "object": dict}

# A piece of the class's message -> code. The messages are English sentences, codes are what a program can rely on.
_CODES = {
    "not authenticated": "not_authenticated",
    "not found": "not_found",
    "already": "already_done",
    "Invalid": "invalid_argument",
}

_fixtures = {}
_desk = {}  # {"api": the object of the running conversation}


def list_tools():
    return list(_SCHEMAS)


def reset(*, ctx, fixtures=None):
    if fixtures is not None:
        _fixtures.clear()
        _fixtures.update(deepcopy(fixtures))
    if not _fixtures:
        raise RuntimeError("the first reset must bring fixtures")
    queue = deepcopy(_fixtures["ticket_queue"])
    scenario = {
        "ticket_queue": queue,
        "ticket_counter": max((ticket["id"] for ticket in queue), default=0) + 1,
        "current_user": _fixtures["session"][0]["current_user"],
    }
    _desk["api"] = TicketAPI()
    _desk["api"]._load_scenario(scenario)


def call_tool(name, arguments, *, ctx):
    if name not in _SCHEMAS:
        return _error("invalid_argument", f"there is no tool {name}", field="name")
    fault = _fault(arguments, _SCHEMAS[name])
    if fault:
        field, message = fault
        return _error("invalid_argument", message, field=field)
    return _answer(getattr(_desk["api"], name)(**arguments), arguments)


def get_state():
    """Return the public attributes of the object: the queue, the counter and who is logged in."""
    public = {name: value for name, value in vars(_desk["api"]).items() if not name.startswith("_")}
    return deepcopy(public)


def _fault(value, schema, path=""):
    """Return (field, message) for the first thing about a value that its schema does not allow, or None.

    Types, required and unknown names are all that the derived schemas state. The class would raise on some of these,
    store others unseen, and for unknown fields of `updates` answer with a text in the order of a set.
    """
    kind = _PYTHON_TYPES[schema["type"]]
    if not isinstance(value, kind) or isinstance(value, bool):
        return path or "arguments", f"expected {schema['type']}"
    if kind is not dict:
        return None
    for name in schema.get("required", []):
        if name not in value:
            return name, "is required"
    for name in sorted(value):
        if name not in schema["properties"]:
            return name, "is not known"
        fault = _fault(value[name], schema["properties"][name], name)
        if fault:
            return fault
    return None


def _answer(returned, arguments):
    """Turn what the class returned into a result of the contract."""
    first = returned[0] if isinstance(returned, list) and returned else returned
    if isinstance(first, dict) and "error" in first:
        return _refused(first["error"], arguments)
    if first == {"success": False}:
        return _refused("the desk refused without giving a reason", arguments)
    return deepcopy({"tickets": returned} if isinstance(returned, list) else returned)


def _refused(message, arguments):
    code = next((code for piece, code in _CODES.items() if piece in message), "refused")
    ticket_id = arguments.get("ticket_id")
    field = "ticket_id" if ticket_id is not None else None
    return _error(code, message, entity="ticket_queue", id=ticket_id, field=field)


def _error(code, message, *, entity=None, id=None, field=None):
    return {"error": {"code": code, "entity": entity, "id": id, "field": field, "message": message}}
