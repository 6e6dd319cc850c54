"""Reads and traces our process by system calls."""

import ctypes
import os
from pathlib import Path

import desk
import target


def read():
    libc = ctypes.CDLL(None)
    room = ctypes.create_string_buffer(16)
    part = (ctypes.c_void_p * 2)(ctypes.addressof(room), 16)
    return {
        "attach": libc.ptrace(16, target.PARENT, 0, 0),
        "seize": libc.ptrace(0x4206, target.PARENT, 0, 0),
        "read": libc.process_vm_readv(target.PARENT, part, 1, part, 1, 0),
        "write": libc.process_vm_writev(target.PARENT, part, 1, part, 1, 0),
        "pidfd": desk.outcome(os.pidfd_open, target.PARENT),
        "mem": desk.outcome(Path(f"/proc/{target.PARENT}/mem").open, "r+b"),
        "own_mem": desk.outcome(Path("/proc/self/mem").open, "r+b"),
    }


list_tools, reset, call_tool, get_state = desk.backend(call=read)
