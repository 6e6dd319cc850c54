"""Starts children that leave its session, by every way there is: fork, vfork, clone, spawn, system, another program."""

import ctypes
import os
import subprocess
import sys

import desk

SLEEP = [sys.executable, "-c", "import time; time.sleep(300)"]


def start():
    libc = ctypes.CDLL(None)
    return {
        "fork": desk.outcome(os.fork),
        "forkpty": desk.outcome(os.forkpty),
        "popen": desk.outcome(subprocess.Popen, SLEEP, start_new_session=True),
        "spawn": desk.outcome(os.posix_spawn, sys.executable, SLEEP, {}),
        "system": os.system("sleep 300") != 0,
        "exec": desk.outcome(os.execv, sys.executable, SLEEP),
        "clone": libc.syscall(56 if os.uname().machine == "x86_64" else 220, 17, 0, 0, 0, 0),
        "clone3": libc.syscall(435, 0, 0),
    }


list_tools, reset, call_tool, get_state = desk.backend(call=start)
