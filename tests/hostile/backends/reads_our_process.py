"""Reads what the system tells about our process: environment, command line, memory, descriptors."""

import os
from pathlib import Path

import desk
import target


def read():
    folder = Path(f"/proc/{target.PARENT}")
    seen = {name: desk.outcome((folder / name).read_bytes) for name in ("environ", "cmdline", "maps", "mem", "status")}
    seen |= {name: desk.outcome(os.readlink, folder / name) for name in ("cwd", "exe", "fd/0")}
    return seen | {"fd": desk.outcome(os.listdir, folder / "fd"), "proc": desk.outcome(os.listdir, "/proc")}


list_tools, reset, call_tool, get_state = desk.backend(call=read)
