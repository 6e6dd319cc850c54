"""The four functions that assay calls, and the check of arguments against what the tools publish.

The rules of the bank itself are in `bank.py`.
"""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

import bank

_fixtures: dict[str, Any] = {}


def text(value):
    return isinstance(value, str)


def flag(value):
    return isinstance(value, bool)


def number(value):
    return isinstance(value, (int, float)) and not flag(value) and value >= 0


def whole(low, high):
    """Accept whole numbers from low to high; a boolean is not a number."""
    return lambda value: isinstance(value, int) and not flag(value) and low <= value <= high


def one_of(*choices):
    return lambda value: text(value) and value in choices


@dataclass(frozen=True)
class Tool:
    """What a tool runs, a test for each of its arguments, and the values of those that may be left out."""

    run: Callable[..., dict]
    accepts: dict[str, Callable[[Any], bool]]
    defaults: dict[str, Any] = field(default_factory=dict)


EUROS = whole(1, 1_000_000)

_TOOLS = {
    "get_account": Tool(bank.get_account, {"account_id": text}),
    "list_postings": Tool(bank.list_postings, {"account_id": text, "limit": whole(1, 20)}, {"limit": 10}),
    "get_posting": Tool(bank.get_posting, {"posting_ref": text}),
    "open_dispute": Tool(
        bank.open_dispute, {"posting_ref": text, "reason": one_of("not_mine", "charged_twice", "wrong_amount")}
    ),
    "find_payee": Tool(bank.find_payee, {"name": text}),
    "send_transfer": Tool(
        bank.send_transfer,
        {"account_id": text, "payee_id": text, "amount": EUROS, "approve": flag},
        {"approve": False},
    ),
    "move_to_pot": Tool(bank.move_to_pot, {"pot_id": text, "amount": EUROS}),
    "quote_exchange": Tool(bank.quote_exchange, {"amount": number, "currency": one_of("CHF", "GBP", "PLN", "USD")}),
    "get_card": Tool(bank.get_card, {"card_id": text}),
    "block_card": Tool(
        bank.block_card,
        {"card_id": text, "reason": one_of("lost", "stolen", "damaged"), "approve": flag},
        {"approve": False},
    ),
    "book_appointment": Tool(bank.book_appointment, {"branch_id": text, "hour": whole(0, 23)}),
    "order_statement": Tool(bank.order_statement, {"account_id": text, "format": one_of("CSV", "PDF")}),
}


def _complete(tool, arguments):
    """Return the arguments with defaults filled in, or refuse the first one that does not do."""
    if not isinstance(arguments, dict):
        raise bank.Refused("invalid_argument", "arguments must be an object")
    complete = {**tool.defaults, **arguments}
    for name, accepts in tool.accepts.items():
        if name not in complete:
            raise bank.Refused("invalid_argument", f"{name} is missing", field=name)
        if not accepts(complete[name]):
            raise bank.Refused("invalid_argument", f"{name} does not do", field=name)
    for name in sorted(complete.keys() - tool.accepts.keys()):
        raise bank.Refused("invalid_argument", f"there is no argument {name}", field=name)
    return complete


def list_tools():
    return list(_TOOLS)


def reset(*, ctx, fixtures=None):
    if fixtures is not None:
        _fixtures.clear()
        _fixtures.update(deepcopy(fixtures))
    if not _fixtures:
        raise RuntimeError("the first reset must bring fixtures")
    bank.open_doors(_fixtures)


def call_tool(name, arguments, *, ctx):
    if not _fixtures:
        raise RuntimeError("reset must come before the first call")
    try:
        if name not in _TOOLS:
            raise bank.Refused("invalid_argument", f"there is no tool {name}", field="name")
        tool = _TOOLS[name]
        return tool.run(ctx, **_complete(tool, arguments))
    except bank.Refused as refusal:
        return refusal.answer


def get_state():
    return bank.books()
