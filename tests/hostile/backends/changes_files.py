"""Cuts, removes, renames and re-marks files that are there: its own snapshot's, its pack's, the store's."""

import os
from pathlib import Path

import desk
import target


def change():
    seen = {}
    for name, folder in {"snapshot": target.ROOT, "pack": target.PACK, "other": target.NEIGHBOUR}.items():
        file = Path(folder, "backend.py")
        seen[name] = {
            "append": desk.outcome(file.open, "a"),
            "cut": desk.outcome(os.truncate, file, 0),
            "remove": desk.outcome(file.unlink),
            "rename": desk.outcome(file.rename, "mine.py"),
            "mode": desk.outcome(file.chmod, 0o777),
            "times": desk.outcome(os.utime, file, (1, 1)),
            "owner": desk.outcome(os.chown, file, 12345, 12345),
            "attribute": desk.outcome(os.setxattr, file, "user.hostile", b"x"),
            "folder": desk.outcome(Path(folder).chmod, 0o777),
        }
    return sorted({each for outcomes in seen.values() for each in outcomes.values()})


list_tools, reset, call_tool, get_state = desk.backend(call=change)
