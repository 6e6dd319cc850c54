"""Forks without end; the children would do the same."""

import os

import desk


def fork():
    for _ in range(100):
        outcome = desk.outcome(os.fork)
        if outcome == "succeeded: 0":
            os._exit(0)
    return outcome


list_tools, reset, call_tool, get_state = desk.backend(call=fork)
