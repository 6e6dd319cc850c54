"""The run ledger: who ran what, when, and what came of it.

    <root>/runs/<run_id>/run.json           the request and the pack, written at the start; the outcome, at the end
    <root>/runs/<run_id>/stage-<name>.json  one record per stage, written when it ends
    <root>/runs/<run_id>/stages.json        the records of all stages at once, of a run that the store served whole
    <root>/runs/<batch_id>/batch.json       a batch: the runs that belong to it

Run ids and times live here and nowhere else, so that reports and tables are the same bytes in every run (ruling 2).
Each record is one file written whole: several processes can record stages of one run without a lock. Nobody waits for
the disk: a loss of power can cost the records of its last seconds, never an artifact, and a torn record counts as none.
"""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from assay.artifacts.store import write_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path


DIRECT: Final = "direct"
PREFECT: Final = "prefect"
"""The roads that a run can take, under `road` in its facts: a retry takes the one that its run took."""

RUNNING: Final = "running"
ERROR: Final = "error"
"""The statuses of a run that has no verdict (yet); the others are those of a report."""


def new_run_id() -> str:
    """Return an id that sorts by time: `20260131T235959-<10 hex>` (UTC), of which four are a fraction of the second."""
    moment = now()
    return f"{moment:%Y%m%dT%H%M%S}-{moment.microsecond * 16**4 // 10**6:04x}{secrets.token_hex(3)}"


def now() -> datetime:
    """Return the time, in UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class StageRecord:
    """What became of one stage in one run.

    Attributes:
        status: `cached`, `computed` or `crashed`.
        key: its artifact's key; None when the stage crashed before the key was known.
        path: its artifact's main file; None when it crashed.
        final: False for a provisional result.
        started: ISO-8601 in UTC.
        seconds: wall time.
        worker: host and process that did it.
        error: for a crash, what went wrong.
        reason: why it was computed or not, as far as only the run itself can know: one of `REASONS`; None for a crash.
    """

    stage: str
    status: str
    key: str | None
    path: str | None
    final: bool
    started: str
    seconds: float
    worker: str
    error: str | None = None
    reason: str | None = None


_TOGETHER: Final = "stages.json"

SERVED: Final = "served"
REASONS: Final[Mapping[str, str]] = {
    SERVED: "an artifact with its key was there",
    "absent": "no artifact with its key was there",
    "damaged": "the artifact with its key was incomplete or damaged",
    "asked": "the run was asked to compute it again",
    "provisional_input": "it reads a result that rests on a deadline, so none with its key is looked for",
}


@dataclass(frozen=True, slots=True)
class Ledger:
    """The runs below one root folder."""

    root: Path

    def folder(self, run_id: str) -> Path:
        """Return the folder of one run."""
        return self.root / "runs" / run_id

    def write_run(self, run_id: str, facts: Mapping[str, Any]) -> None:
        """Write (or replace) what is known of a run.

        Raises:
            OSError: when the file system refuses.
        """
        self._write(run_id, "run.json", {"run_id": run_id, **facts})

    def write_stage(self, run_id: str, record: StageRecord) -> None:
        """Write what became of a stage.

        Raises:
            OSError: when the file system refuses.
        """
        self._write(run_id, f"stage-{record.stage}.json", _facts(record))

    def write_stages(self, run_id: str, records: Iterable[StageRecord]) -> None:
        """Write what became of all stages, in one file. A record that `write_stage` wrote or writes counts before it.

        Raises:
            OSError: when the file system refuses.
        """
        self._write(run_id, _TOGETHER, {record.stage: _facts(record) for record in records})

    def write_batch(self, batch_id: str, facts: Mapping[str, Any]) -> None:
        """Write (or replace) what is known of a batch.

        Args:
            batch_id: an id like that of a run.
            facts: `runs`, the ids of its runs in the order of its packs; `requests`, their requests as JSON, so that a
                pack whose run had not begun can be taken up; and whatever else the writer wants to keep.

        Raises:
            OSError: when the file system refuses.
        """
        self._write(batch_id, "batch.json", {"batch_id": batch_id, **facts})

    def _write(self, run_id: str, name: str, facts: Mapping[str, Any]) -> None:
        folder = self.folder(run_id)
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / name, json.dumps(facts, indent=2, sort_keys=True).encode(), durable=False)

    def read_run(self, run_id: str) -> dict[str, Any] | None:
        """Return what is known of a run, or None."""
        return read_record(self.folder(run_id) / "run.json")

    def read_stages(self, run_id: str) -> dict[str, dict[str, Any]]:
        """Return stage -> record of one run."""
        together = read_record(self.folder(run_id) / _TOGETHER) or {}
        paths = self.folder(run_id).glob("stage-*.json")
        records = {path.stem.removeprefix("stage-"): read_record(path) for path in paths}
        found = together | {stage: record for stage, record in records.items() if record is not None}
        return dict(sorted(found.items()))

    def file_of(self, run_id: str, stage: str) -> str:
        """Return the name of the file in a run's folder that holds the record of a stage."""
        single = f"stage-{stage}.json"
        return single if (self.folder(run_id) / single).exists() else _TOGETHER

    def read_batch(self, batch_id: str) -> dict[str, Any] | None:
        """Return what is known of a batch, or None."""
        return read_record(self.folder(batch_id) / "batch.json")

    def runs(self) -> Iterator[dict[str, Any]]:
        """Yield the runs, newest first."""
        return self._each(self.read_run)

    def batches(self) -> Iterator[dict[str, Any]]:
        """Yield the batches, newest first."""
        return self._each(self.read_batch)

    def at_hand(self) -> Ledger:
        """Return this ledger with all its records on this machine, for whoever reads many of them."""
        return self

    def _each(self, read: Callable[[str], dict[str, Any] | None]) -> Iterator[dict[str, Any]]:
        folder = self.root / "runs"
        names = sorted((path.name for path in folder.iterdir()), reverse=True) if folder.is_dir() else []
        for name in names:
            facts = read(name)
            if facts is not None:
                yield facts


def _facts(record: StageRecord) -> dict[str, Any]:
    return {name: getattr(record, name) for name in record.__slots__}


def read_record(path: Path) -> dict[str, Any] | None:
    """Return what one file of the ledger says, or None when it cannot be read."""
    try:
        facts = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return facts if isinstance(facts, dict) else None
