"""The corner bank: accounts, postings, payments, pots, cards and appointments.

Rules of the house, which `assertions.py` checks independently:

* An account's balance is the sum of its postings. Whatever moves money writes a posting.
* A refused request changes nothing and answers `{"error": {...}}` with a code for machines and a text for people.
* Everything is checked before approval is asked for, so that "needs_approval" means: it would work.

`backend.py` checks arguments and calls these functions; each takes the run's context and its tool's arguments by name.
"""

from copy import deepcopy
from typing import Any

_state: dict[str, Any] = {}


class Refused(Exception):
    """A request that the bank turns down; becomes the `error` object of the answer."""

    def __init__(self, code, message, *, entity=None, id=None, field=None):
        super().__init__(message)
        self.answer = {"error": {"code": code, "entity": entity, "id": id, "field": field, "message": message}}


def open_doors(fixtures):
    """Start a day from the fixtures; nothing of the day before remains."""
    _state.clear()
    _state.update(deepcopy(fixtures))


def books():
    """Return a copy of everything the bank knows."""
    return deepcopy(_state)


def _row(collection, key, value):
    """Return the row with that key, or refuse."""
    for row in _state[collection]:
        if row[key] == value:
            return row
    raise Refused("not_found", f"no row of {collection} has it", entity=collection, id=value, field=key)


def _next_id(collection, key, prefix):
    """Number new rows by how many of that kind there are, so that equal histories give equal ids."""
    taken = [row for row in _state[collection] if row[key].startswith(prefix)]
    return f"{prefix}{len(taken) + 1:02d}"


def _spend(account, amount, text):
    """Take money from an account and write the posting."""
    posting = {
        "posting_ref": _next_id("postings", "posting_ref", "PX-NEW-"),
        "account_id": account["account_id"],
        "kind": "transfer",
        "amount": -amount,
        "text": text,
        "disputed": False,
    }
    _state["postings"].append(posting)
    account["balance"] -= amount
    return posting


def _check_spendable(account, amount):
    identity = {"entity": "accounts", "id": account["account_id"]}
    if account["status"] != "open":
        raise Refused("account_frozen", "the account is frozen", field="account_id", **identity)
    if account["balance"] < amount:
        raise Refused("insufficient_funds", "the balance does not cover it", field="amount", **identity)


def get_account(ctx, account_id):
    return deepcopy(_row("accounts", "account_id", account_id))


def list_postings(ctx, account_id, limit):
    _row("accounts", "account_id", account_id)
    mine = [posting for posting in _state["postings"] if posting["account_id"] == account_id]
    return {"account_id": account_id, "postings": deepcopy(mine[::-1][:limit])}


def get_posting(ctx, posting_ref):
    return deepcopy(_row("postings", "posting_ref", posting_ref))


def open_dispute(ctx, posting_ref, reason):
    posting = _row("postings", "posting_ref", posting_ref)
    identity = {"entity": "postings", "id": posting_ref, "field": "posting_ref"}
    if posting["kind"] != "card":
        raise Refused("not_disputable", "only card postings can be disputed", **identity)
    if posting["disputed"]:
        raise Refused("already_disputed", "the posting is disputed already", **identity)
    posting["disputed"] = True
    dispute_id = _next_id("disputes", "dispute_id", "DS-")
    dispute = {"dispute_id": dispute_id, "posting_ref": posting_ref, "reason": reason}
    _state["disputes"].append(dispute)
    return deepcopy(dispute)


def find_payee(ctx, name):
    return deepcopy(_row("payees", "name", name))


def send_transfer(ctx, account_id, payee_id, amount, approve):
    account = _row("accounts", "account_id", account_id)
    payee = _row("payees", "payee_id", payee_id)
    _check_spendable(account, amount)
    order = {"account_id": account_id, "payee_id": payee_id, "amount": amount}
    if not approve:
        return {"outcome": "needs_approval", "posting_ref": None, **order}
    posting = _spend(account, amount, payee["name"])
    return {"outcome": "done", "posting_ref": posting["posting_ref"], **order, "balance": account["balance"]}


def move_to_pot(ctx, pot_id, amount):
    pot = _row("pots", "pot_id", pot_id)
    account = _row("accounts", "account_id", pot["account_id"])
    _check_spendable(account, amount)
    posting = _spend(account, amount, pot["name"])
    pot["balance"] += amount
    return {
        "pot_id": pot_id,
        "pot_balance": pot["balance"],
        "account_id": account["account_id"],
        "balance": account["balance"],
        "posting_ref": posting["posting_ref"],
    }


def quote_exchange(ctx, amount, currency):
    per_euro = _row("rates", "currency", currency)["per_euro"]
    return {
        "amount": amount,
        "currency": currency,
        "per_euro": per_euro,
        "converted": round(amount * per_euro, 2),
        "quoted_on": ctx.clock.date().isoformat(),
    }


def get_card(ctx, card_id):
    return deepcopy(_row("cards", "card_id", card_id))


def block_card(ctx, card_id, reason, approve):
    card = _row("cards", "card_id", card_id)
    if card["status"] == "blocked":
        raise Refused("already_blocked", "the card is blocked already", entity="cards", id=card_id, field="card_id")
    if not approve:
        return {"outcome": "needs_approval", "card_id": card_id, "status": card["status"]}
    card.update(status="blocked", blocked_because=reason)
    return {"outcome": "done", "card_id": card_id, "status": card["status"]}


def book_appointment(ctx, branch_id, hour):
    branch = _row("branches", "branch_id", branch_id)
    identity = {"entity": "branches", "id": branch_id, "field": "hour"}
    if not branch["opens"] <= hour < branch["closes"]:
        raise Refused("outside_hours", f"open from {branch['opens']} to {branch['closes']}", **identity)
    if any(taken["branch_id"] == branch_id and taken["hour"] == hour for taken in _state["appointments"]):
        raise Refused("hour_taken", "somebody else has that hour", **identity)
    appointment_id = _next_id("appointments", "appointment_id", "AP-")
    appointment = {"appointment_id": appointment_id, "branch_id": branch_id, "hour": hour}
    _state["appointments"].append(appointment)
    return deepcopy(appointment)


def order_statement(ctx, account_id, format):
    _row("accounts", "account_id", account_id)
    statement_id = _next_id("statements", "statement_id", "ST-")
    statement = {"statement_id": statement_id, "account_id": account_id, "format": format}
    _state["statements"].append(statement)
    return deepcopy(statement)
