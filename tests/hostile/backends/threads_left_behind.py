"""Leaves threads behind: one that sleeps for ever with every call, and one that prints."""

import threading
import time

import desk


def talk():
    while True:
        print("still here")  # noqa: T201
        time.sleep(0.01)


def leave():
    threading.Thread(target=time.sleep, args=(300,)).start()


threading.Thread(target=talk).start()

list_tools, reset, call_tool, get_state = desk.backend(call=leave)
