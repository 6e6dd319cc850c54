"""What a batch came to, as the ledger knows it: including what was taken up again since."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.artifacts.codec import read_findings
from assay.artifacts.ledger import ERROR, RUNNING
from assay.artifacts.places import ledger_at, store_at
from assay.artifacts.store import FINDINGS, read_table
from assay.artifacts.tables import REPORT_STAGE
from flows.outcome import SEVERITY
from flows.resuming import resume_command
from flows.summary import SUMMARY_SCHEMA_VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from assay.artifacts.ledger import Ledger


def has_verdict(run: Mapping[str, Any] | None) -> bool:
    """Say whether a run came to a verdict."""
    return run is not None and run.get("status") not in {RUNNING, ERROR}


def latest_runs(ledger: Ledger, run_ids: Iterable[str]) -> dict[str, dict[str, Any] | None]:
    """Return run -> the run that tells what came of it: itself, or the last of those that took it up again.

    A run with a verdict is not taken up by others in this sense: its verdict stands. None for one that never began.
    """
    taken_up: dict[str, dict[str, Any]] = {}
    for run in ledger.runs():  # newest first
        before = (run.get("request") or {}).get("retry_of")
        if before is not None and (before not in taken_up or not has_verdict(taken_up[before])):
            taken_up[before] = run
    return {run_id: _last(ledger.read_run(run_id), run_id, taken_up) for run_id in run_ids}


def _last(run: dict[str, Any] | None, run_id: str, taken_up: Mapping[str, dict[str, Any]]) -> dict[str, Any] | None:
    seen = {run_id}
    while not has_verdict(run) and run_id in taken_up and taken_up[run_id]["run_id"] not in seen:
        run = taken_up[run_id]
        run_id = run["run_id"]
        seen.add(run_id)
    return run


def recalled_summary(root: str, batch: Mapping[str, Any]) -> dict[str, Any]:
    """Return the summary of a batch from the ledger, in the form of `summary.summary_of`.

    Args:
        root: of the store.
        batch: what its ledger says of the batch.

    Raises:
        StoreError: when a shared root does not answer.
    """
    ledger = ledger_at(root).at_hand()
    latest = latest_runs(ledger, batch["runs"])
    requests = {facts["run_id"]: facts for facts in batch["requests"]}
    entries = [_entry(root, requests[run_id], latest[run_id], ledger.read_stages) for run_id in batch["runs"]]
    return {
        "schema_version": SUMMARY_SCHEMA_VERSION,
        "batch_id": batch["batch_id"],
        "status": max((each["status"] for each in entries), key=SEVERITY.__getitem__, default="gold"),
        "totals": {status: sum(each["status"] == status for each in entries) for status in SEVERITY},
        "packs": entries,
    }


def _entry(
    root: str,
    request: Mapping[str, Any],
    run: Mapping[str, Any] | None,
    read_stages: Callable[[str], Mapping[str, Mapping[str, Any]]],
) -> dict[str, Any]:
    """Return what `PackOutcome.to_json` would have said."""
    is_judged = has_verdict(run)
    facts: Mapping[str, Any] = run or {"run_id": request["run_id"], "error": "its run did not begin"}
    stages = read_stages(facts["run_id"])
    counted = Counter(record["status"] for record in stages.values())
    named = request["pack"] or request["config"]
    return {
        "pack": named,
        "pack_id": facts.get("pack_id") or Path(named).name,
        "status": facts["status"] if is_judged else ERROR,
        "tier": facts.get("tier"),
        "severities": {name: count for name, count in sorted((facts.get("findings") or {}).items()) if count},
        "codes": _codes(root, stages[REPORT_STAGE]) if is_judged and REPORT_STAGE in stages else {},
        "error": None if is_judged else facts.get("error") or "its run broke off",
        "deadline_passed": bool(facts.get("deadline_passed")),
        "run_id": facts["run_id"],
        "resume": None if is_judged else resume_command(facts["run_id"], root),
        "seconds": _seconds(facts),
        "cached_stages": counted["cached"],
        "computed_stages": counted["computed"],
    }


def _codes(root: str, record: Mapping[str, Any]) -> dict[str, int]:
    """Return code -> number of findings, from the report's artifact; nothing when that is gone."""
    artifact = store_at(root).open(record["path"])
    found = None if artifact is None else read_table(artifact, FINDINGS)
    return {} if found is None else dict(sorted(Counter(each.code for each in read_findings(found)).items()))


def _seconds(facts: Mapping[str, Any]) -> float:
    try:
        begun, ended = (datetime.fromisoformat(facts[name]) for name in ("started", "finished"))
    except (KeyError, TypeError, ValueError):
        return 0.0
    return round((ended - begun).total_seconds(), 3)
