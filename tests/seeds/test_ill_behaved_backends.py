"""A backend that hangs, exits, prints a megabyte, returns what is no JSON, or raises: a finding, in bounded time."""

import os
import time
from pathlib import Path

import pytest

from assay import validate
from assay.findings import Check
from tests.support.pack_files import spoil
from tests.support.packs import copy_of_tiny_library

LOOKUP = '    book = _find("books", "book_id", arguments["book_id"])\n    return deepcopy(book) if book'


def behave(folder: Path, statement: str):
    """Let the first tool do something else before it answers; return the place of what it does."""
    return spoil(folder, "backend.py", LOOKUP, f"    §{statement}\n{LOOKUP}")


def children_of_this_process() -> set[str]:
    """Return the command lines of all processes that descend from this one."""
    parents: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(stat.parent.name)] = int(fields[1])
    found = set()
    for pid in parents:
        ancestor = pid
        while ancestor in parents and ancestor != os.getpid():
            ancestor = parents[ancestor]
        if ancestor == os.getpid() and pid != os.getpid():
            found.add(pid)
    return {
        Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
        for pid in found
        if Path(f"/proc/{pid}").exists()
    }


def workers_left(before: set[str]) -> list[str]:
    return [line for line in children_of_this_process() - before if "assay" in line and "worker" in line]


@pytest.mark.parametrize(
    ("statement", "code", "limit_s"),
    [
        ("__import__('time').sleep(3600)", "tool_timeout", 60),
        ("__import__('os')._exit(3)", "worker_died", 15),
        ("return {'answer': {1, 2}}", "non_json_result", 15),
        ("return {'answer': float('nan')}", "non_json_result", 15),
        ("raise LookupError('no shelf')", "executable_replay_failed", 15),
    ],
)
def test_each_is_told_with_its_place_in_bounded_time(tmp_path, statement, code, limit_s):
    folder = copy_of_tiny_library(tmp_path / "pack")
    place = behave(folder, statement)
    config = folder / "fast.yaml"
    config.write_text(
        (folder / "validate.yaml").read_text().replace("oracle_runtime:", "oracle_runtime:\n  tool_timeout_s: 0.4", 1)
    )
    before, clock = children_of_this_process(), time.monotonic()
    report = validate(config=config)
    assert time.monotonic() - clock < limit_s
    found = [each for each in report.findings if each.code == code and each.template_id == "lib_status_single"]
    assert found, [f"{each.code} {each.place} {each.message}" for each in report.findings]
    assert report.status == "not_gold"
    if code == "executable_replay_failed":
        assert found[0].place.file == "backend.py"
        assert found[0].place.line == place.line
    assert workers_left(before) == []


def test_a_template_that_hangs_does_not_cost_the_others_their_verdict(tmp_path):
    folder = copy_of_tiny_library(tmp_path / "pack")
    behave(folder, "__import__('time').sleep(3600)")
    config = folder / "fast.yaml"
    config.write_text(
        (folder / "validate.yaml").read_text().replace("oracle_runtime:", "oracle_runtime:\n  tool_timeout_s: 0.4", 1)
    )
    report = validate(config=config)
    stopped = {each.template_id for each in report.findings if each.check is Check.REPRESENTATIVE_GENERATION_CONTRACT}
    assert stopped == {"lib_status_single", "lib_status_missing_id", "lib_status_parallel"}
    assert report.stats["n_passed"] == 2


def test_a_megabyte_of_prints_changes_nothing(tmp_path):
    folder = copy_of_tiny_library(tmp_path / "pack")
    behave(folder, "print('x' * 1_000_000); __import__('sys').stderr.write('y' * 1_000_000)")
    report = validate(folder)
    assert report.status == "gold", [each.message for each in report.findings]
