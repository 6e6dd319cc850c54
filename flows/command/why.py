"""`assay why`: per stage of a run, why it was computed or served from the store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.artifacts.places import ledger_at
from assay.pipeline import PIPELINE
from assay.runner.why import explain_run
from flows.command.exits import CommandError, write_json
from flows.command.places import resolve_root
from flows.command.screen import make_console, make_table

if TYPE_CHECKING:
    from assay.runner.why import StageReason


def tell_why(run_id: str, root: str | None, stage: str | None, *, as_json: bool) -> int:
    """Print the reason of each stage of a run, or of one.

    Raises:
        CommandError: when there is no such run or stage.
    """
    names = [each.name for each in PIPELINE]
    if stage is not None and stage not in names:
        raise CommandError(f"there is no stage {stage}; there are {', '.join(names)}")
    place = resolve_root(root)
    run = ledger_at(place).read_run(run_id)
    if run is None:
        raise CommandError(f"no run {run_id} in {place}; `assay runs` lists them", "unknown_run")
    reasons = [each for each in explain_run(place, run_id) if stage in {None, each.stage}]
    if as_json:
        write_json({"run_id": run_id, "status": run["status"], "stages": [each.to_json() for each in reasons]})
    else:
        _print(run, reasons)
    return 0


def _print(run: dict[str, Any], reasons: list[StageReason]) -> None:
    console = make_console()
    table = make_table("stage", "status", "why")
    for each in reasons:
        table.add_row(each.stage, each.status, each.text)
    console.print(table)
    compared = sorted({each.compared_with for each in reasons if each.compared_with is not None})
    if compared:
        console.print(f"compared with {', '.join(compared)}", style="dim")
    retry_of = (run.get("request") or {}).get("retry_of")
    if retry_of is not None:
        console.print(f"takes up {retry_of}", style="dim")
