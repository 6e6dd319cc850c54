"""The lending desk of a very small library.

The four functions at the end are all that assay calls. `reset` starts every conversation from the fixtures; nothing
else survives from one conversation to the next.
"""

from copy import deepcopy
from datetime import timedelta

LOAN_PERIOD = timedelta(days=14)

_fixtures = {}
_state = {}


def _error(code, message, *, entity=None, id=None, field=None):
    return {"error": {"code": code, "entity": entity, "id": id, "field": field, "message": message}}


def _find(collection, key, value):
    return next((row for row in _state[collection] if row[key] == value), None)


def _refuse_arguments(arguments, *, types):
    """Return an error for the first argument that the tool's schema would not accept, or None."""
    for name, kind in types.items():
        if not isinstance(arguments.get(name), kind):
            return _error("invalid_argument", f"{name} must be given as {kind.__name__}", field=name)
    for name in sorted(arguments.keys() - types.keys()):
        return _error("invalid_argument", f"{name} is not an argument of this tool", field=name)
    return None


def _get_book_status(arguments, ctx):
    refusal = _refuse_arguments(arguments, types={"book_id": str})
    if refusal:
        return refusal
    book = _find("books", "book_id", arguments["book_id"])
    return deepcopy(book) if book else _no_book(arguments["book_id"])


def _checkout_book(arguments, ctx):
    arguments = {"confirm": False, **arguments}
    refusal = _refuse_arguments(arguments, types={"book_id": str, "patron_id": str, "confirm": bool})
    if refusal:
        return refusal
    book = _find("books", "book_id", arguments["book_id"])
    if book is None:
        return _no_book(arguments["book_id"])
    if _find("patrons", "patron_id", arguments["patron_id"]) is None:
        return _error("not_found", "no such patron", entity="patrons", id=arguments["patron_id"], field="patron_id")
    if book["copies"] == 0:
        return _error("unavailable", "every copy is out on loan", entity="books", id=book["book_id"], field="book_id")
    if not arguments["confirm"]:
        return _answer("awaiting_confirmation", None, arguments)
    loan = _lend(book, arguments["patron_id"], ctx)
    return {**_answer("succeeded", loan["loan_id"], arguments), "copies_left": book["copies"]}


def _lend(book, patron_id, ctx):
    loan = {
        "loan_id": f"LN-{len(_state['loans']) + 1:06d}",
        "book_id": book["book_id"],
        "patron_id": patron_id,
        "status": "active",
        # From the run's frozen clock, never from the machine's: two replays must agree.
        "due_on": (ctx.clock + LOAN_PERIOD).date().isoformat(),
    }
    _state["loans"].append(loan)
    book["copies"] -= 1
    book["status"] = "available" if book["copies"] else "on_loan"
    return loan


def _answer(status, loan_id, arguments):
    return {
        "status": status,
        "loan_id": loan_id,
        "book_id": arguments["book_id"],
        "patron_id": arguments["patron_id"],
    }


def _no_book(book_id):
    return _error("not_found", "no such book", entity="books", id=book_id, field="book_id")


_TOOLS = {"get_book_status": _get_book_status, "checkout_book": _checkout_book}


def list_tools():
    return list(_TOOLS)


def reset(*, ctx, fixtures=None):
    if fixtures is not None:
        _fixtures.clear()
        _fixtures.update(deepcopy(fixtures))
    if not _fixtures:
        raise RuntimeError("the first reset must bring fixtures")
    _state.clear()
    _state.update(deepcopy(_fixtures))


def call_tool(name, arguments, *, ctx):
    if not _state:
        raise RuntimeError("reset must come before the first call")
    if name not in _TOOLS:
        return _error("invalid_argument", f"there is no tool named {name}", field="name")
    return _TOOLS[name](arguments, ctx)


def get_state():
    return deepcopy(_state)
