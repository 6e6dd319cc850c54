"""Fills its scratch folder: with one file, with many, with as many as there can be names."""

import functools
import itertools
from pathlib import Path

import desk


@functools.cache
def fill():
    block = bytes(8 * 1024**2)
    seen = {"one": desk.outcome(Path("one").write_bytes, bytes(65 * 1024**2))}
    Path("one").unlink()
    seen["many"] = _until_refused(lambda number: Path(f"block-{number}").write_bytes(block))
    for each in Path().glob("block-*"):
        each.unlink()
    seen["names"] = _until_refused(lambda number: Path(f"name-{number}").touch())
    for each in Path().glob("name-*"):
        each.unlink()
    return seen


def _until_refused(make):
    for number in itertools.count():
        outcome = desk.outcome(make, number)
        if not outcome.startswith("succeeded") or number > 12_000:
            return outcome


list_tools, reset, call_tool, get_state = desk.backend(call=fill)
