"""Checking the ledger: can it be read, and is what it names there?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.artifacts.layout import RUNS, place_of
from assay.artifacts.ledger import read_record
from assay.artifacts.lifesigns import broke_off
from assay.artifacts.upkeep.faults import Fault

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.artifacts.layout import StoredFile
    from assay.artifacts.ledger import Ledger
    from assay.artifacts.upkeep.premises import Premises


def check_ledger(premises: Premises, files: Sequence[StoredFile], now: float) -> Iterator[Fault]:
    """Yield what is wrong with the records of runs, and what they name that is not there."""
    places = {file.path for file in files if file.kind == "main"}
    snapshots = {file.name for file in files if file.kind == "snapshot" and not file.path.endswith(".json")}
    ledger = premises.ledger()
    records = {file.path: file for file in files if file.kind == "record" and file.path.endswith(".json")}
    for file in records.values():
        if read_record(premises.root / file.path) is None:
            yield Fault(kind="damaged_record", path=file.path, message="It cannot be read.", run=file.run)
    for run_id in dict.fromkeys(file.run for file in records.values() if file.run is not None):
        facts = ledger.read_run(run_id)
        if facts is not None:
            yield from _check_run(ledger, run_id, facts, now)
            if premises.keeps_snapshots:
                yield from _check_snapshot(run_id, facts, snapshots)
        elif f"{RUNS}/{run_id}/run.json" not in records and ledger.read_batch(run_id) is None:
            message = "There are records of stages, but none of the run itself."
            yield Fault(kind="damaged_record", path=f"{RUNS}/{run_id}", message=message, run=run_id)
        yield from _missing_artifacts(ledger, run_id, places)


def _check_run(ledger: Ledger, run_id: str, facts: dict[str, Any], now: float) -> Iterator[Fault]:
    if broke_off(ledger, facts, now):
        message = f"This run began at {facts.get('started')} and never ended."
        yield Fault(kind="broken_off_run", path=f"{RUNS}/{run_id}", message=message, run=run_id)


def _check_snapshot(run_id: str, facts: dict[str, Any], snapshots: set[str | None]) -> Iterator[Fault]:
    fingerprint = facts.get("pack_fingerprint")
    if fingerprint is not None and fingerprint not in snapshots:
        message = f"The snapshot {fingerprint[:12]} of the pack that this run judged is not there."
        yield Fault(kind="missing_snapshot", path=f"{RUNS}/{run_id}", message=message, run=run_id)


def _missing_artifacts(ledger: Ledger, run_id: str, places: set[str]) -> Iterator[Fault]:
    for stage, record in ledger.read_stages(run_id).items():
        if record.get("path") and place_of(record["path"]) not in places:
            message = f"The {stage} artifact {str(record.get('key'))[:12]} that this run names is not there."
            path = f"{RUNS}/{run_id}/{ledger.file_of(run_id, stage)}"
            yield Fault(kind="missing_artifact", path=path, message=message, run=run_id)
