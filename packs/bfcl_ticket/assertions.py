"""What makes a conversation at the support desk a success: the exact calls, their answers, and the queue afterwards."""


def _ticket(state, ticket_id):
    found = [ticket for ticket in state["ticket_queue"] if ticket["id"] == ticket_id]
    assert len(found) == 1, f"expected one ticket {ticket_id}, found {len(found)}"
    return found[0]


def _same(what, found, expected):
    """Check that two values are equal; say what was compared, and both values, when they are not."""
    assert found == expected, f"{what}: found {found}, expected {expected}"


def _results(trace, *expected):
    """Check that exactly the expected (tool, arguments) calls were made, in this order, and return their results."""
    made = [(entry["tool"], entry["arguments"]) for entry in trace]
    _same("calls", made, list(expected))
    return [entry["result"] for entry in trace]


def _refusal(result, code):
    error = result.get("error")
    assert isinstance(error, dict), f"expected a refusal, got {result}"
    _same("code of the refusal", error.get("code"), code)
    return error


def assert_tickets_read(*, state, trace, task, ctx) -> None:
    """Each ticket of the task was read once, and each answer is the ticket as the queue holds it."""
    names = ("ticket_id", "open_id", "other_id")
    asked = [task["slots"][name] for name in names if name in task["slots"]]
    assert asked, "the task binds no ticket"
    in_order = sorted(trace, key=lambda entry: entry["arguments"].get("ticket_id", 0))
    expected = [("get_ticket", {"ticket_id": ticket_id}) for ticket_id in sorted(asked)]
    results = _results(in_order, *expected)
    _same("answers", results, [_ticket(state, ticket_id) for ticket_id in sorted(asked)])


def assert_ticket_unknown(*, state, trace, task, ctx) -> None:
    """The lookup missed, the answer names the number, and the queue indeed lacks it."""
    ticket_id = task["slots"]["ticket_id"]
    (result,) = _results(trace, ("get_ticket", {"ticket_id": ticket_id}))
    _same("id in the refusal", _refusal(result, "not_found").get("id"), ticket_id)
    assert all(ticket["id"] != ticket_id for ticket in state["ticket_queue"]), f"ticket {ticket_id} exists"


def assert_own_tickets_listed(*, state, trace, task, ctx) -> None:
    """All tickets of the user with that status came back, and no others."""
    status, user = task["slots"]["status"], state["current_user"]
    (result,) = _results(trace, ("get_user_tickets", {"status": status}))
    own = [ticket for ticket in state["ticket_queue"] if ticket["created_by"] == user and ticket["status"] == status]
    assert own, f"{user} has no ticket with status {status}: the question proves nothing"
    _same("answer", result, {"tickets": own})


def _new_ticket(state, result, **facts):
    """Check that the queue's last ticket is the reported one, has these facts, and used up one number."""
    newest = state["ticket_queue"][-1]
    assert newest["id"] == result.get("id") == state["ticket_counter"] - 1, f"reported {result}, queued {newest}"
    facts = {"id": newest["id"], "description": "", "created_by": state["current_user"], **facts}
    _same("new ticket", newest, facts)
    return newest


def assert_ticket_created(*, state, trace, task, ctx) -> None:
    """One ticket with that title and priority was added for the user, as the call reported it."""
    wanted = {"title": task["slots"]["title"], "priority": task["slots"]["priority"]}
    (result,) = _results(trace, ("create_ticket", wanted))
    _same("answer", result, _new_ticket(state, result, **wanted, status="Open"))


def assert_created_and_resolved(*, state, trace, task, ctx) -> None:
    """A ticket was added and resolved, both under the number that the first call gave."""
    title, resolution = task["slots"]["title"], task["slots"]["resolution"]
    assert trace, "no call was made"
    new_id = trace[0]["result"].get("id")
    created, resolved = _results(
        trace,
        ("create_ticket", {"title": title}),
        ("resolve_ticket", {"ticket_id": new_id, "resolution": resolution}),
    )
    _same("second answer", resolved, {"status": f"Ticket {new_id} has been resolved successfully."})
    ticket = _new_ticket(state, created, title=title, priority=1, status="Resolved", resolution=resolution)
    before = {key: value for key, value in ticket.items() if key != "resolution"}
    _same("first answer", created, {**before, "status": "Open"})


def assert_ticket_resolved(*, state, trace, task, ctx) -> None:
    """The ticket is resolved with the user's note."""
    wanted = {"ticket_id": task["slots"]["ticket_id"], "resolution": task["slots"]["resolution"]}
    (result,) = _results(trace, ("resolve_ticket", wanted))
    _same("answer", result, {"status": f"Ticket {wanted['ticket_id']} has been resolved successfully."})
    ticket = _ticket(state, wanted["ticket_id"])
    _same("ticket", (ticket["status"], ticket.get("resolution")), ("Resolved", wanted["resolution"]))


def assert_priority_changed(*, state, trace, task, ctx) -> None:
    """The ticket has the priority that the user settled on, which is not the one named first."""
    ticket_id, priority = task["slots"]["ticket_id"], task["slots"]["priority"]
    (result,) = _results(trace, ("edit_ticket", {"ticket_id": ticket_id, "updates": {"priority": priority}}))
    _same("answer", result, {"status": f"Ticket {ticket_id} has been updated successfully."})
    _same("priority", _ticket(state, ticket_id)["priority"], priority)
    assert priority != task["slots_initial"]["priority"], "the priority named first was kept"


def assert_close_refused(*, state, trace, task, ctx) -> None:
    """The ticket was closed before and still is; the second attempt was refused."""
    ticket_id = task["slots"]["ticket_id"]
    (result,) = _results(trace, ("close_ticket", {"ticket_id": ticket_id}))
    _same("id in the refusal", _refusal(result, "already_done").get("id"), ticket_id)
    _same("status", _ticket(state, ticket_id)["status"], "Closed")


def assert_no_tool_called(*, state, trace, task, ctx) -> None:
    """Nothing was called."""
    assert not trace, f"called {[entry['tool'] for entry in trace]}"


ASSERTIONS = {
    "assert_tickets_read": assert_tickets_read,
    "assert_ticket_unknown": assert_ticket_unknown,
    "assert_own_tickets_listed": assert_own_tickets_listed,
    "assert_ticket_created": assert_ticket_created,
    "assert_created_and_resolved": assert_created_and_resolved,
    "assert_ticket_resolved": assert_ticket_resolved,
    "assert_priority_changed": assert_priority_changed,
    "assert_close_refused": assert_close_refused,
    "assert_no_tool_called": assert_no_tool_called,
}

ASSERTION_CAPABILITIES = {
    "assert_tickets_read": {"trace": False, "executable": True, "category": "result"},
    "assert_ticket_unknown": {"trace": False, "executable": True, "category": "result"},
    "assert_own_tickets_listed": {"trace": False, "executable": True, "category": "result"},
    "assert_ticket_created": {"trace": False, "executable": True, "category": "state"},
    "assert_created_and_resolved": {"trace": False, "executable": True, "category": "state"},
    "assert_ticket_resolved": {"trace": False, "executable": True, "category": "state"},
    "assert_priority_changed": {"trace": False, "executable": True, "category": "state"},
    "assert_close_refused": {"trace": False, "executable": True, "category": "state"},
    "assert_no_tool_called": {"trace": True, "executable": True, "category": "path"},
}
