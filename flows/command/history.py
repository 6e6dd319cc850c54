"""`assay runs` and `assay show`: the ledger, for people."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any

from assay.artifacts.ledger import Ledger
from assay.artifacts.store import read_artifact
from flows.command.exits import CommandError, write_json
from flows.command.places import resolve_root
from flows.command.screen import make_console, make_table


def list_runs(root: str | None, most: int, *, as_json: bool) -> int:
    """Print the newest runs."""
    found = list(islice(Ledger(Path(resolve_root(root))).runs(), most))
    if as_json:
        write_json({"runs": found})
        return 0
    table = make_table("run", "pack", "status", "errors", "warnings", "started", right=("errors", "warnings"))
    for each in found:
        counts = each.get("findings", {})
        table.add_row(
            each["run_id"],
            _pack_name(each),
            each["status"],
            str(counts.get("error", "")),
            str(counts.get("warning", "")),
            (each.get("started") or "")[:19],
        )
    make_console().print(table)
    return 0


def _pack_name(run: dict[str, Any]) -> str:
    if run.get("pack_id"):
        return f"{run['pack_id']}@{run['pack_version']}"
    request = run["request"]
    return Path(request["pack"] or request["config"]).name


def show_run(run_id: str, root: str | None, *, as_json: bool) -> int:
    """Print one run stage by stage."""
    ledger = Ledger(Path(resolve_root(root)))
    run = ledger.read_run(run_id)
    if run is None:
        raise CommandError(f"no run {run_id} in {ledger.root}; `assay runs` lists them", "unknown_run")
    stages = ledger.read_stages(run_id)
    if as_json:
        write_json({**run, "stages": stages})
        return 0
    console = make_console()
    console.print(f"{run_id}  {_pack_name(run)}  {run['status']}")
    table = make_table("stage", "status", "seconds", "artifact", "rows", right=("seconds",))
    for stage, record in sorted(stages.items(), key=lambda item: item[1]["started"]):
        artifact = read_artifact(Path(record["path"])) if record["path"] else None
        rows = "" if artifact is None else ", ".join(f"{count} {name}" for name, count in artifact.rows.items())
        table.add_row(
            stage, record["status"], f"{record['seconds']:.3f}", (record["key"] or "")[:12], record["error"] or rows
        )
    console.print(table)
    return 0
