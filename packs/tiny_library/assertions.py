"""What makes a conversation at the lending desk a success.

Each assertion gets the state after the last call, the calls with their results, and the bound task. It returns
nothing when satisfied and fails with a sentence that says what was found instead.
"""

from datetime import timedelta

LOAN_PERIOD = timedelta(days=14)


def _asked_books(task):
    """Ids of the books that the user asked about, under whichever slot names the template uses."""
    names = ("book_id", "book_a", "book_b")
    return [task["slots"][name] for name in names if name in task["slots"]]


def _row(state, collection, key, value):
    rows = [row for row in state[collection] if row[key] == value]
    assert len(rows) == 1, f"expected one row of {collection} with {key} {value}, found {len(rows)}"
    return rows[0]


def assert_book_status_reported(*, state, trace, task, ctx) -> None:
    """Each book was looked up exactly once, and each answer is the book's entry."""
    asked = _asked_books(task)
    assert asked, "the task binds no book"
    assert {entry["tool"] for entry in trace} == {"get_book_status"}, "only lookups are expected"
    called = sorted(entry["arguments"].get("book_id") for entry in trace)
    assert called == sorted(asked), f"looked up {called} instead of {sorted(asked)}"
    for entry in trace:
        book = _row(state, "books", "book_id", entry["arguments"]["book_id"])
        assert entry["result"] == book, f"answered {entry['result']} for {book}"


def assert_checkout_awaiting_then_committed(*, state, trace, task, ctx) -> None:
    """The patron agreed first; then one call, with the user's book and patron, made the loan that the state holds.

    Calls before the committing one may only have been answered with a request for confirmation.
    """
    wanted = {"book_id": task["slots"]["book_id"], "patron_id": task["slots"]["patron_id"]}
    assert task["has_user_confirmation"], "the patron never agreed"
    assert trace, "no call was made"
    *earlier, commit = trace
    for entry in earlier:
        assert entry["result"].get("status") == "awaiting_confirmation", "something took effect too early"
    assert commit["tool"] == "checkout_book", f"the last call was {commit['tool']}"
    assert commit["arguments"] == {**wanted, "confirm": True}, f"committed with {commit['arguments']}"
    result = commit["result"]
    expected = {"status": "succeeded", **wanted}
    assert {key: result.get(key) for key in expected} == expected, f"the desk answered {result}"
    due_on = (ctx.clock + LOAN_PERIOD).date().isoformat()
    loan = {"loan_id": result.get("loan_id"), **wanted, "status": "active", "due_on": due_on}
    assert state["loans"] == [loan], f"the ledger holds {state['loans']}"


def assert_book_now_on_loan(*, state, trace, task, ctx) -> None:
    """The ledger holds the book, its shelf count is the one just reported, and its status agrees with that count."""
    book = _row(state, "books", "book_id", task["slots"]["book_id"])
    loans = [loan for loan in state["loans"] if loan["book_id"] == book["book_id"] and loan["status"] == "active"]
    assert loans, f"no active loan of {book['book_id']}"
    reported = trace[-1]["result"].get("copies_left") if trace else None
    assert book["copies"] == reported, f"{book['copies']} copies on the shelf, {reported} reported"
    expected = "available" if book["copies"] else "on_loan"
    assert book["status"] == expected, f"status is {book['status']} with {book['copies']} copies left"


def assert_no_tool_called(*, state, trace, task, ctx) -> None:
    """The request was declined without touching anything."""
    called = sorted(entry["tool"] for entry in trace)
    assert not called, f"called {called}"


ASSERTIONS = {
    "assert_book_status_reported": assert_book_status_reported,
    "assert_checkout_awaiting_then_committed": assert_checkout_awaiting_then_committed,
    "assert_book_now_on_loan": assert_book_now_on_loan,
    "assert_no_tool_called": assert_no_tool_called,
}

# `trace: true` marks what could also be judged from the calls alone, without running the backend.
ASSERTION_CAPABILITIES = {
    "assert_book_status_reported": {"trace": False, "executable": True, "category": "result"},
    "assert_checkout_awaiting_then_committed": {"trace": False, "executable": True, "category": "state"},
    "assert_book_now_on_loan": {"trace": False, "executable": True, "category": "state"},
    "assert_no_tool_called": {"trace": True, "executable": True, "category": "path"},
}
