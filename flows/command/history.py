"""`assay runs` and `assay show`: the ledger, for people."""

from __future__ import annotations

import time
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.artifacts.ledger import ERROR
from assay.artifacts.lifesigns import broke_off
from assay.artifacts.places import ledger_at, store_at
from flows.command.exits import CommandError, write_json
from flows.command.places import resolve_root
from flows.command.screen import make_console, make_table
from flows.resuming import resume_command

if TYPE_CHECKING:
    from assay.artifacts.ledger import Ledger


def list_runs(root: str | None, most: int, *, as_json: bool) -> int:
    """Print the newest runs."""
    place = resolve_root(root)
    ledger = ledger_at(place).at_hand()
    found = [_with_resume(ledger, each, place) for each in islice(ledger.runs(), most)]
    if as_json:
        write_json({"runs": found})
        return 0
    table = make_table("run", "pack", "status", "errors", "warnings", "started", right=("errors", "warnings"))
    for each in found:
        counts = each.get("findings", {})
        table.add_row(
            each["run_id"],
            _pack_name(each),
            _status(each),
            str(counts.get("error", "")),
            str(counts.get("warning", "")),
            (each.get("started") or "")[:19],
        )
    console = make_console()
    console.print(table)
    for each in found:
        if each["resume"] is not None:
            console.print(f"no verdict; next: {each['resume']}", style="dim", markup=False)
    return 0


def _with_resume(ledger: Ledger, run: dict[str, Any], root: str) -> dict[str, Any]:
    """Add to a run whether it broke off, and the command that takes it up; None when there is nothing to take up."""
    is_broken_off = broke_off(ledger, run, time.time())
    has_failed = is_broken_off or run["status"] == ERROR
    return {**run, "broke_off": is_broken_off, "resume": resume_command(run["run_id"], root) if has_failed else None}


def _status(run: dict[str, Any]) -> str:
    return "broken off" if run["broke_off"] else str(run["status"])


def _pack_name(run: dict[str, Any]) -> str:
    if run.get("pack_id"):
        return f"{run['pack_id']}@{run['pack_version']}"
    request = run["request"]
    return Path(request["pack"] or request["config"]).name


def show_run(run_id: str, root: str | None, *, as_json: bool) -> int:
    """Print one run stage by stage."""
    place = resolve_root(root)
    store, ledger = store_at(place), ledger_at(place)
    run = ledger.read_run(run_id)
    if run is None:
        raise CommandError(f"no run {run_id} in {place}; `assay runs` lists them", "unknown_run")
    stages = ledger.read_stages(run_id)
    run = _with_resume(ledger, run, place)
    if as_json:
        write_json({**run, "stages": stages})
        return 0
    console = make_console()
    console.print(f"{run_id}  {_pack_name(run)}  {_status(run)}")
    table = make_table("stage", "status", "seconds", "artifact", "rows", right=("seconds",))
    for stage, record in sorted(stages.items(), key=lambda item: item[1]["started"]):
        artifact = store.open(record["path"]) if record["path"] else None
        rows = "" if artifact is None else ", ".join(f"{count} {name}" for name, count in artifact.rows.items())
        table.add_row(
            stage, record["status"], f"{record['seconds']:.3f}", (record["key"] or "")[:12], record["error"] or rows
        )
    console.print(table)
    if run.get("error"):
        console.print(f"no verdict: {run['error']}", markup=False)
    if run["resume"] is not None:
        console.print(f"next: {run['resume']}", markup=False)
    return 0
