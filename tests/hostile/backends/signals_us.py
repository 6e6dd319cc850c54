"""Signals our process, its group, every process, one of its threads."""

import ctypes
import os
import signal

import desk
import target


def send():
    libc = ctypes.CDLL(None)
    return {
        "process": desk.outcome(os.kill, target.PARENT, signal.SIGURG),
        "group": desk.outcome(os.killpg, target.GROUP, signal.SIGURG),
        "everybody": desk.outcome(os.kill, -1, 0),
        "thread": libc.tgkill(target.PARENT, target.PARENT, signal.SIGURG.value),
        "queued": libc.sigqueue(target.PARENT, signal.SIGURG.value, 0),
    }


list_tools, reset, call_tool, get_state = desk.backend(call=send)
