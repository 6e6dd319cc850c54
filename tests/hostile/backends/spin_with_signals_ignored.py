"""Ignores every signal that can be ignored, and hangs in a reset."""

import signal
import time

import desk

for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
    signal.signal(number, signal.SIG_IGN)


def hang():
    while True:
        time.sleep(60)


list_tools, reset, call_tool, get_state = desk.backend(reset=hang)
