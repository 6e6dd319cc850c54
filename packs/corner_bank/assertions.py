"""What makes a conversation at the counter a success.

Every assertion states the whole of what it is about: exactly which calls were made, with which arguments, what they
answered, and what the books say afterwards. A call that is missing, repeated or different must not slip through.
"""


def _row(state, collection, key, value):
    """Return the one row with that key."""
    rows = [row for row in state[collection] if row[key] == value]
    assert len(rows) == 1, f"expected one row of {collection} with {key} {value!r}, found {len(rows)}"
    return rows[0]


def _rows(state, collection, key, value):
    return [row for row in state[collection] if row[key] == value]


def _same(what, found, expected):
    """Check that two values are equal; say what was compared, and both values, when they are not."""
    assert found == expected, f"{what}: found {found}, expected {expected}"


def _calls(trace):
    return [(entry["tool"], entry["arguments"]) for entry in trace]


def _results(trace, *expected):
    """Check that exactly the expected (tool, arguments) calls were made, in this order, and return their results."""
    _same("calls", _calls(trace), list(expected))
    return [entry["result"] for entry in trace]


def _refusal(result, code):
    """Check that a result is the refusal with that code, and return it."""
    error = result.get("error")
    assert isinstance(error, dict), f"expected a refusal, got {result}"
    _same("code of the refusal", error.get("code"), code)
    return error


# ------------------------------------------------------------------------------------------------ accounts


def assert_accounts_reported(*, state, trace, task, ctx) -> None:
    """Each account of the task was read once, and each answer is the account's row."""
    names = ("account_id", "current_id", "savings_id")
    asked = [task["slots"][name] for name in names if name in task["slots"]]
    expected = [("get_account", {"account_id": account_id}) for account_id in asked]
    assert expected, "the task binds no account"
    made = sorted(_calls(trace), key=repr)  # parallel calls have no order
    _same("calls", made, sorted(expected, key=repr))
    for entry in trace:
        account = _row(state, "accounts", "account_id", entry["arguments"]["account_id"])
        _same("answer", entry["result"], account)


def assert_account_unknown(*, state, trace, task, ctx) -> None:
    """The one lookup missed, the answer says which number was looked for, and the books indeed lack it."""
    account_id = task["slots"]["account_id"]
    (result,) = _results(trace, ("get_account", {"account_id": account_id}))
    error = _refusal(result, "not_found")
    _same("id in the refusal", error.get("id"), account_id)
    _same("accounts with that number", _rows(state, "accounts", "account_id", account_id), [])


def assert_statement_ordered(*, state, trace, task, ctx) -> None:
    """One statement was ordered, for the account and in the format that were asked for."""
    wanted = {"account_id": task["slots"]["account_id"], "format": task["slots"]["format"]}
    orders = [entry for entry in trace if entry["tool"] == "order_statement"]
    (result,) = _results(orders, ("order_statement", wanted))
    _same("answer", result, {"statement_id": result.get("statement_id"), **wanted})
    _same("statements", state["statements"], [result])


def assert_books_balance(*, state, trace, task, ctx) -> None:
    """Every account's balance is the sum of its postings: no money appears or vanishes."""
    for account in state["accounts"]:
        postings = _rows(state, "postings", "account_id", account["account_id"])
        total = sum(posting["amount"] for posting in postings)
        assert account["balance"] == total, f"{account['account_id']} shows {account['balance']}, postings give {total}"


# ------------------------------------------------------------------------------------------------ postings


def assert_postings_listed(*, state, trace, task, ctx) -> None:
    """The account's latest postings came back, newest first and no more than asked for."""
    account_id, limit = task["slots"]["account_id"], task["slots"]["how_many"]
    (result,) = _results(trace, ("list_postings", {"account_id": account_id, "limit": limit}))
    postings = _rows(state, "postings", "account_id", account_id)
    _same("answer", result, {"account_id": account_id, "postings": postings[::-1][:limit]})


def assert_posting_reviewed(*, state, trace, task, ctx) -> None:
    """The posting was read first; account and statement followed, in whichever order."""
    slots = task["slots"]
    posting_ref, account_id = slots["posting_ref"], slots["account_id"]
    assert trace, "no call was made"
    first, *rest = trace
    (posting,) = _results([first], ("get_posting", {"posting_ref": posting_ref}))
    _same("posting", posting, _row(state, "postings", "posting_ref", posting_ref))
    account, _order = _results(
        sorted(rest, key=lambda entry: entry["tool"]),
        ("get_account", {"account_id": account_id}),
        ("order_statement", {"account_id": account_id, "format": slots["format"]}),
    )
    _same("account", account, _row(state, "accounts", "account_id", account_id))


def assert_dispute_opened(*, state, trace, task, ctx) -> None:
    """The posting is disputed, by the one case that the call reported."""
    wanted = {"posting_ref": task["slots"]["posting_ref"], "reason": "charged_twice"}
    (result,) = _results(trace, ("open_dispute", wanted))
    _same("answer", result, {"dispute_id": result.get("dispute_id"), **wanted})
    _same("disputes of the posting", _rows(state, "disputes", "posting_ref", wanted["posting_ref"]), [result])
    _same("disputed", _row(state, "postings", "posting_ref", wanted["posting_ref"])["disputed"], True)


def assert_dispute_refused(*, state, trace, task, ctx) -> None:
    """The second dispute was refused, and the first one is still the only one."""
    posting_ref = task["slots"]["posting_ref"]
    (result,) = _results(trace, ("open_dispute", {"posting_ref": posting_ref, "reason": "wrong_amount"}))
    error = _refusal(result, "already_disputed")
    _same("id in the refusal", error.get("id"), posting_ref)
    dispute = _row(state, "disputes", "posting_ref", posting_ref)
    assert dispute["reason"] != "wrong_amount", "the refused dispute was entered all the same"
    _same("disputed", _row(state, "postings", "posting_ref", posting_ref)["disputed"], True)


# ------------------------------------------------------------------------------------------------ payments


def _transfer_calls(state, task):
    """Return the calls that a transfer takes, and the payee's row: by id, or by name with a lookup before."""
    slots = task["slots"]
    if "name" in slots:
        payee = _row(state, "payees", "name", slots["name"])
        lookups = [("find_payee", {"name": slots["name"]})]
    else:
        payee = _row(state, "payees", "payee_id", slots["payee_id"])
        lookups = []
    order = {"account_id": slots["account_id"], "payee_id": payee["payee_id"], "amount": slots["amount"]}
    return payee, [*lookups, ("send_transfer", {**order, "approve": True})]


def assert_transfer_booked(*, state, trace, task, ctx) -> None:
    """Exactly one transfer was made, with the final values of the conversation, and its posting is in the books."""
    payee, calls = _transfer_calls(state, task)
    *lookups, result = _results(trace, *calls)
    assert all(lookup == payee for lookup in lookups), "the payee that was found is not the one in the books"
    account_id, amount = task["slots"]["account_id"], task["slots"]["amount"]
    booked = {
        "outcome": "done",
        "posting_ref": result.get("posting_ref"),
        "account_id": account_id,
        "payee_id": payee["payee_id"],
        "amount": amount,
        "balance": _row(state, "accounts", "account_id", account_id)["balance"],
    }
    _same("answer", result, booked)
    posting = {
        "posting_ref": result["posting_ref"],
        "account_id": account_id,
        "kind": "transfer",
        "amount": -amount,
        "text": payee["name"],
        "disputed": False,
    }
    _same("transfers in the books", _rows(state, "postings", "kind", "transfer"), [posting])


def assert_transfer_refused(*, state, trace, task, ctx) -> None:
    """The transfer was refused for want of money, the account indeed lacks it, and nothing was posted."""
    _payee, calls = _transfer_calls(state, task)
    (result,) = _results(trace, *calls)
    error = _refusal(result, "insufficient_funds")
    account_id, amount = task["slots"]["account_id"], task["slots"]["amount"]
    _same("id in the refusal", error.get("id"), account_id)
    balance = _row(state, "accounts", "account_id", account_id)["balance"]
    assert balance < amount, f"refused although {balance} covers {amount}"
    _same("transfers in the books", _rows(state, "postings", "kind", "transfer"), [])


def assert_approved_first(*, state, trace, task, ctx) -> None:
    """The customer approved, and the last call is the only one that carries the approval."""
    assert task["has_user_confirmation"], "the customer never approved"
    approvals = [entry["arguments"].get("approve") for entry in trace]
    assert approvals.count(True) == 1 and approvals[-1] is True, f"approvals were {approvals}"


def assert_amount_was_corrected(*, state, trace, task, ctx) -> None:
    """The amount sent is the second one that the customer named, not the first."""
    sent = [entry["arguments"].get("amount") for entry in trace]
    _same("amounts sent", sent, [task["slots"]["amount"]])
    assert sent != [task["slots_initial"]["amount"]], "the first amount was sent"


def assert_pot_filled(*, state, trace, task, ctx) -> None:
    """The pot holds what the call reported, and its account paid that amount into it."""
    wanted = {"pot_id": task["slots"]["pot_id"], "amount": task["slots"]["amount"]}
    (result,) = _results(trace, ("move_to_pot", wanted))
    pot = _row(state, "pots", "pot_id", wanted["pot_id"])
    account = _row(state, "accounts", "account_id", pot["account_id"])
    posting = _row(state, "postings", "kind", "transfer")
    _same("posting", (posting["amount"], posting["text"]), (-wanted["amount"], pot["name"]))
    filled = {
        "pot_id": pot["pot_id"],
        "pot_balance": pot["balance"],
        "account_id": account["account_id"],
        "balance": account["balance"],
        "posting_ref": posting["posting_ref"],
    }
    _same("answer", result, filled)


def assert_quote_computed(*, state, trace, task, ctx) -> None:
    """The quote applies the bank's rate to the amount, and is dated today."""
    wanted = {"amount": task["slots"]["amount"], "currency": task["slots"]["currency"]}
    (result,) = _results(trace, ("quote_exchange", wanted))
    per_euro = _row(state, "rates", "currency", wanted["currency"])["per_euro"]
    quote = {
        **wanted,
        "per_euro": per_euro,
        "converted": round(wanted["amount"] * per_euro, 2),
        "quoted_on": ctx.clock.date().isoformat(),
    }
    _same("answer", result, quote)


# ------------------------------------------------------------------------------------------------ cards, branches


def assert_card_trail_followed(*, state, trace, task, ctx) -> None:
    """Card, account and posting were read in turn, each call using what the one before it answered."""
    card = _row(state, "cards", "card_id", task["slots"]["card_id"])
    postings = _rows(state, "postings", "account_id", card["account_id"])[::-1]
    results = _results(
        trace,
        ("get_card", {"card_id": card["card_id"]}),
        ("list_postings", {"account_id": card["account_id"]}),
        ("get_posting", {"posting_ref": postings[0]["posting_ref"]}),
    )
    _same("answers", results, [card, {"account_id": card["account_id"], "postings": postings}, postings[0]])


def assert_card_blocked(*, state, trace, task, ctx) -> None:
    """The card is blocked as lost, and no other card was touched by the call."""
    card_id = task["slots"]["card_id"]
    (result,) = _results(trace, ("block_card", {"card_id": card_id, "reason": "lost", "approve": True}))
    _same("answer", result, {"outcome": "done", "card_id": card_id, "status": "blocked"})
    _same("status", _row(state, "cards", "card_id", card_id)["status"], "blocked")
    lost = [card["card_id"] for card in state["cards"] if card["blocked_because"] == "lost"]
    _same("cards reported as lost", lost, [card_id])


def assert_appointment_booked(*, state, trace, task, ctx) -> None:
    """The branch has exactly one appointment at the final hour: the one that the call reported."""
    wanted = {"branch_id": task["slots"]["branch_id"], "hour": task["slots"]["hour"]}
    (result,) = _results(trace, ("book_appointment", wanted))
    _same("answer", result, {"appointment_id": result.get("appointment_id"), **wanted})
    _same("appointments", _rows(state, "appointments", "branch_id", wanted["branch_id"]), [result])


def assert_appointment_refused(*, state, trace, task, ctx) -> None:
    """The hour was refused because it is taken, and it is still taken only once."""
    wanted = {"branch_id": task["slots"]["branch_id"], "hour": task["slots"]["hour"]}
    (result,) = _results(trace, ("book_appointment", wanted))
    error = _refusal(result, "hour_taken")
    _same("id in the refusal", error.get("id"), wanted["branch_id"])
    hours = [taken["hour"] for taken in _rows(state, "appointments", "branch_id", wanted["branch_id"])]
    _same("appointments at that hour", hours.count(wanted["hour"]), 1)


def assert_no_tool_called(*, state, trace, task, ctx) -> None:
    """Nothing was called."""
    assert not trace, f"called {_calls(trace)}"


ASSERTIONS = {
    "assert_accounts_reported": assert_accounts_reported,
    "assert_account_unknown": assert_account_unknown,
    "assert_statement_ordered": assert_statement_ordered,
    "assert_books_balance": assert_books_balance,
    "assert_postings_listed": assert_postings_listed,
    "assert_posting_reviewed": assert_posting_reviewed,
    "assert_dispute_opened": assert_dispute_opened,
    "assert_dispute_refused": assert_dispute_refused,
    "assert_transfer_booked": assert_transfer_booked,
    "assert_transfer_refused": assert_transfer_refused,
    "assert_approved_first": assert_approved_first,
    "assert_amount_was_corrected": assert_amount_was_corrected,
    "assert_pot_filled": assert_pot_filled,
    "assert_quote_computed": assert_quote_computed,
    "assert_card_trail_followed": assert_card_trail_followed,
    "assert_card_blocked": assert_card_blocked,
    "assert_appointment_booked": assert_appointment_booked,
    "assert_appointment_refused": assert_appointment_refused,
    "assert_no_tool_called": assert_no_tool_called,
}

# Read from this file's text, so it must be written out. `trace: true` promises that the calls alone would do.
ASSERTION_CAPABILITIES = {
    "assert_accounts_reported": {"trace": False, "executable": True, "category": "result"},
    "assert_account_unknown": {"trace": False, "executable": True, "category": "result"},
    "assert_statement_ordered": {"trace": False, "executable": True, "category": "state"},
    "assert_books_balance": {"trace": False, "executable": True, "category": "state"},
    "assert_postings_listed": {"trace": False, "executable": True, "category": "result"},
    "assert_posting_reviewed": {"trace": False, "executable": True, "category": "result"},
    "assert_dispute_opened": {"trace": False, "executable": True, "category": "state"},
    "assert_dispute_refused": {"trace": False, "executable": True, "category": "state"},
    "assert_transfer_booked": {"trace": False, "executable": True, "category": "state"},
    "assert_transfer_refused": {"trace": False, "executable": True, "category": "state"},
    "assert_approved_first": {"trace": True, "executable": True, "category": "path"},
    "assert_amount_was_corrected": {"trace": True, "executable": True, "category": "path"},
    "assert_pot_filled": {"trace": False, "executable": True, "category": "state"},
    "assert_quote_computed": {"trace": False, "executable": True, "category": "result"},
    "assert_card_trail_followed": {"trace": False, "executable": True, "category": "path"},
    "assert_card_blocked": {"trace": False, "executable": True, "category": "state"},
    "assert_appointment_booked": {"trace": False, "executable": True, "category": "state"},
    "assert_appointment_refused": {"trace": False, "executable": True, "category": "state"},
    "assert_no_tool_called": {"trace": True, "executable": True, "category": "path"},
}
