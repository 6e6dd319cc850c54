"""Becomes somebody else, or more than it is."""

import ctypes
import os
from pathlib import Path

import desk


def rise():
    libc = ctypes.CDLL(None)
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    everything = (ctypes.c_uint32 * 6)(*[0xFFFFFFFF] * 6)
    Path("tool").write_text("x")
    return {
        "refused": [not desk.outcome(become, 12345).startswith("succeeded") for become in (os.setuid, os.setgid)],
        "groups": desk.outcome(os.setgroups, [12345]),
        "capabilities": libc.capset(header, everything),
        "new_privileges": libc.prctl(38, 0, 0, 0, 0),
        "root_folder": desk.outcome(os.chroot, "."),
        "setuid_program": desk.outcome(os.execv, "/bin/su", ["su"]),
    }


list_tools, reset, call_tool, get_state = desk.backend(call=rise)
