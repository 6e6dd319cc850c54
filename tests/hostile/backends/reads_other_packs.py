"""Reads another pack, the store with its snapshots, and the folder that its own pack was copied from."""

import os
from pathlib import Path

import desk
import target


def read():
    return {
        "other_pack": desk.outcome((Path(target.NEIGHBOUR) / "backend.py").read_text),
        "other_snapshot": desk.outcome((Path(target.STORE) / "snapshots" / "other" / "backend.py").read_text),
        "store": desk.outcome(os.listdir, target.STORE),
        "snapshots": desk.outcome(os.listdir, Path(target.ROOT).parent),
        "artifact": desk.outcome((Path(target.STORE) / "stage=load" / "kept.parquet").read_bytes),
        "own_pack": desk.outcome((Path(target.PACK) / "fixtures.json").read_text),
    }


list_tools, reset, call_tool, get_state = desk.backend(call=read)
