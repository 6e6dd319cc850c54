"""Leaves a thread behind that throws exceptions into the thread that judges."""

import ctypes
import threading
import time

from judging import assert_record_reported as judge

MAIN = threading.get_ident()


def throw():
    while True:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(MAIN), ctypes.py_object(MemoryError))
        time.sleep(0.001)


def assert_record_reported(*, state, trace, task, ctx):
    judge(state=state, trace=trace, task=task, ctx=ctx)
    threading.Thread(target=throw, daemon=True).start()
    time.sleep(0.2)


ASSERTIONS = {"assert_record_reported": assert_record_reported}
ASSERTION_CAPABILITIES = {"assert_record_reported": {"trace": False, "executable": True, "category": "result"}}
