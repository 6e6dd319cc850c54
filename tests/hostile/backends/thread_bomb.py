"""Starts two hundred threads with small stacks: an ordinary user's are counted, root's are not."""

import os
import threading

import desk


def start():
    threading.stack_size(32 * 1024)
    stop = threading.Event()
    started = [threading.Thread(target=stop.wait, daemon=True) for _ in range(200)]
    outcomes = {desk.outcome(each.start).partition(":")[0] for each in started}
    stop.set()
    return (
        "as expected"
        if outcomes == {"succeeded"} or (os.geteuid() and "RuntimeError" in outcomes)
        else sorted(outcomes)
    )


list_tools, reset, call_tool, get_state = desk.backend(call=start)
