"""Runs a program that exists in memory alone, or in its scratch folder."""

import os
from pathlib import Path

import desk

SCRIPT = "#!/bin/sh\nsleep 300\n"


def run():
    Path("script").write_text(SCRIPT)
    return {
        "memfd": desk.outcome(os.memfd_create, "program"),
        "mode": desk.outcome(Path("script").chmod, 0o755),
        "exec": desk.outcome(os.execv, "script", ["script"]),
        "descriptor": desk.outcome(os.execve, os.open("script", os.O_RDONLY), ["script"], {}),
        "interpreter": desk.outcome(os.execv, "/bin/sh", ["sh", "script"]),
    }


list_tools, reset, call_tool, get_state = desk.backend(call=run)
