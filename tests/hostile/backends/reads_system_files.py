"""Reads what the system knows: accounts, host name, mounts, devices, the kernel's log."""

import os
import pwd
from pathlib import Path

import desk

PLACES = ("/etc/passwd", "/etc/hostname", "/etc/hosts", "/etc/shadow", "/proc/mounts", "/proc/kmsg", "/sys/kernel")


def read():
    seen = {place: desk.outcome(Path(place).read_bytes) for place in PLACES if os.access(place, os.F_OK)}
    seen = dict.fromkeys(seen.values())
    return {"places": sorted(seen), "account": desk.outcome(pwd.getpwuid, 0), "host": os.uname().nodename}


list_tools, reset, call_tool, get_state = desk.backend(call=read)
