"""Looks for secrets in the environment, its own and that of its C library."""

import ctypes
import os
from pathlib import Path

import desk


def read():
    libc = ctypes.CDLL(None)
    libc.getenv.restype = ctypes.c_char_p
    return {
        "names": sorted(os.environ),
        "secret": os.environ.get("ASSAY_TEST_SECRET"),
        "c_library": libc.getenv(b"ASSAY_TEST_SECRET"),
        "proc": desk.outcome(Path("/proc/self/environ").read_bytes),
        "home": os.environ.get("HOME"),
    }


list_tools, reset, call_tool, get_state = desk.backend(call=read)
