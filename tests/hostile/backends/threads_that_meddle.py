"""Leaves a thread behind that changes the state later, whichever conversation is then under way."""

import threading
import time

import desk


def meddle():
    time.sleep(0.02)
    while True:
        desk.STATE["meddled"] = time.perf_counter_ns()
        time.sleep(0)


def leave():
    threading.Thread(target=meddle, daemon=True).start()
    time.sleep(0.1)


list_tools, reset, call_tool, get_state = desk.backend(call=leave)
