"""Reads the home of whoever runs it."""

import os
from pathlib import Path

import desk
import target


def read():
    home = Path(target.HOME)
    return {
        "list": desk.outcome(os.listdir, home),
        "key": desk.outcome((home / ".ssh" / "id_ed25519").read_text),
        "root": desk.outcome(os.listdir, "/root"),
        "expanded": Path("~").expanduser().as_posix() if os.environ.get("HOME") else "no home",
    }


list_tools, reset, call_tool, get_state = desk.backend(call=read)
