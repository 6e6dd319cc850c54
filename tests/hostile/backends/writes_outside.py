"""Changes files wherever it can think of: its snapshot, its pack, the store, a home, the system."""

import sys
from pathlib import Path

import desk
import target

FOLDERS = {
    "snapshot": target.ROOT,
    "pack": target.PACK,
    "store": target.STORE,
    "other_pack": target.NEIGHBOUR,
    "home": target.HOME,
    "system": "/etc",
    "interpreter": sys.prefix,
    "temporary": "/tmp",
    "shared_memory": "/dev/shm",
}


def write():
    return {name: desk.outcome(Path(folder, "assay-hostile").write_text, "x") for name, folder in FOLDERS.items()}


list_tools, reset, call_tool, get_state = desk.backend(call=write)
