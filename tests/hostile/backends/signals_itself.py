"""Sets an alarm that nobody handles."""

import signal
import time

import desk


def wait():
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    time.sleep(60)


list_tools, reset, call_tool, get_state = desk.backend(call=wait)
