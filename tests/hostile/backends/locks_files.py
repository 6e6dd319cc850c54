"""Locks the files of its snapshot against everybody else."""

import fcntl
import os
from pathlib import Path

import desk


def lock():
    file = Path(__file__).open("rb")  # noqa: SIM115 - held on to, that is the point
    return {
        "flock": desk.outcome(fcntl.flock, file, fcntl.LOCK_EX | fcntl.LOCK_NB).partition(":")[0],
        "record": desk.outcome(fcntl.lockf, file, fcntl.LOCK_EX | fcntl.LOCK_NB),
        "lease": desk.outcome(fcntl.fcntl, file, fcntl.F_SETLEASE, fcntl.F_WRLCK),
        "read_lease": desk.outcome(fcntl.fcntl, file, fcntl.F_SETLEASE, fcntl.F_RDLCK),
        "notify": desk.outcome(fcntl.fcntl, os.open(".", os.O_RDONLY), fcntl.F_NOTIFY, 1),
    }


list_tools, reset, call_tool, get_state = desk.backend(call=lock)
