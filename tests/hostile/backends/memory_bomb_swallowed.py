"""Takes all the memory it can get, swallows the refusal and goes on with its work."""

import desk


def take():
    kept = []
    outcome = "succeeded"
    while outcome.startswith("succeeded"):
        outcome = desk.outcome(lambda: kept.append(bytes(64 * 1024**2)))
    return outcome


list_tools, reset, call_tool, get_state = desk.backend(call=take)
