"""The run ledger: who ran what, when, and what came of it.

    <root>/runs/<run_id>/run.json           the request and the pack, written at the start; the outcome, at the end
    <root>/runs/<run_id>/stage-<name>.json  one record per stage, written when it ends

Run ids and times live here and nowhere else, so that reports and tables are the same bytes in every run (ruling 2).
Each record is one file written whole: several processes can record stages of one run without a lock.
"""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from assay.artifacts.store import write_whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path


def new_run_id() -> str:
    """Return an id that sorts by time: `20260131T235959-<6 hex>` (UTC)."""
    return f"{now():%Y%m%dT%H%M%S}-{secrets.token_hex(3)}"


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
        self._write(run_id, f"stage-{record.stage}.json", {name: getattr(record, name) for name in record.__slots__})

    def _write(self, run_id: str, name: str, facts: Mapping[str, Any]) -> None:
        folder = self.folder(run_id)
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / name, json.dumps(facts, indent=2, sort_keys=True).encode())

    def read_run(self, run_id: str) -> dict[str, Any] | None:
        """Return what is known of a run, or None."""
        return _read(self.folder(run_id) / "run.json")

    def read_stages(self, run_id: str) -> dict[str, dict[str, Any]]:
        """Return stage -> record of one run."""
        records = (_read(path) for path in sorted(self.folder(run_id).glob("stage-*.json")))
        return {record["stage"]: record for record in records if record is not None}

    def runs(self) -> Iterator[dict[str, Any]]:
        """Yield the runs, newest first."""
        folder = self.root / "runs"
        names = sorted((path.name for path in folder.iterdir()), reverse=True) if folder.is_dir() else []
        for name in names:
            facts = self.read_run(name)
            if facts is not None:
                yield facts


def _read(path: Path) -> dict[str, Any] | None:
    try:
        facts: dict[str, Any] = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return facts
