"""What a run writes of itself into the ledger."""

from __future__ import annotations

import os
import socket
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.artifacts.ledger import SERVED, StageRecord, now
from assay.runner.errors import StageCrash

if TYPE_CHECKING:
    from collections.abc import Iterable

    from assay.artifacts.ledger import Ledger
    from assay.checks.report import Report
    from assay.runner.request import ArtifactRef, RunRequest


@dataclass(frozen=True, slots=True)
class RunRecord:
    """The ledger's entry of one run, as it grows."""

    ledger: Ledger
    request: RunRequest

    def begin(self, road: str) -> None:
        """Open the run. One that was begun before (Prefect's own retry) is another attempt at it.

        Args:
            road: how it is carried out, `DIRECT` or `PREFECT`: a retry takes the same.

        Raises:
            StageCrash: when nothing can be written there.
        """
        try:
            before = self.ledger.read_run(self.request.run_id) or {}
            facts = {
                "request": self.request.to_json(),
                "status": "running",
                "started": now().isoformat(),
                "road": road,
                "worker": _worker(),
                "attempt": before.get("attempt", 0) + 1,
            }
            self.ledger.write_run(self.request.run_id, facts)
        except OSError as error:
            raise StageCrash(f"the run ledger cannot be written: {error}") from error

    def stage_ended(self, reference: ArtifactRef, started: str, reason: str) -> None:
        """Record a stage that has its artifact.

        Args:
            reference: the artifact.
            started: when the stage began, ISO-8601 in UTC.
            reason: why it was computed or not, one of the ledger's `REASONS`.

        Raises:
            StageCrash: when the ledger cannot be written.
        """
        try:
            self.ledger.write_stage(self.request.run_id, _record_of(reference, started, reason))
        except OSError as error:
            raise StageCrash(f"cannot record stage {reference.stage} in the run ledger: {error}") from error

    def all_served(self, references: Iterable[ArtifactRef]) -> None:
        """Record the stages of a run that the store served whole.

        They take one file together, unless an attempt before this one may have left records of its own.

        Raises:
            StageCrash: when the ledger cannot be written.
        """
        moment, run_id = now().isoformat(), self.request.run_id
        records = [_record_of(each, moment, SERVED) for each in references]
        try:
            if (self.ledger.read_run(run_id) or {}).get("attempt") == 1:
                self.ledger.write_stages(run_id, records)
            else:
                for record in records:
                    self.ledger.write_stage(run_id, record)
        except OSError as error:
            raise StageCrash(f"cannot record the stages in the run ledger: {error}") from error

    def stage_crashed(self, stage: str, started: str, seconds: float, message: str) -> None:
        """Record a stage without an artifact, if the ledger can be written: the crash itself is what must be told."""
        record = StageRecord(
            stage=stage,
            status="crashed",
            key=None,
            path=None,
            final=False,
            started=started,
            seconds=round(seconds, 6),
            worker=_worker(),
            error=message,
        )
        with suppress(OSError):
            self.ledger.write_stage(self.request.run_id, record)

    def close(self, report: Report) -> None:
        """Write the outcome.

        Raises:
            OSError: when the ledger cannot be written.
        """
        begun = self.ledger.read_run(self.request.run_id) or {"request": self.request.to_json(), "started": None}
        facts = {
            **begun,
            "pack_id": report.pack_id,
            "pack_version": report.pack_version,
            "pack_fingerprint": report.pack_fingerprint,
            "status": report.status,
            "tier": report.tier,
            "findings": report.severities,
            "finished": now().isoformat(),
        }
        self.ledger.write_run(self.request.run_id, facts)


def _record_of(reference: ArtifactRef, started: str, reason: str) -> StageRecord:
    return StageRecord(
        stage=reference.stage,
        status="cached" if reference.cached else "computed",
        key=reference.key,
        path=reference.path,
        final=reference.final,
        started=started,
        seconds=reference.seconds,
        worker=_worker(),
        reason=reason,
    )


def _worker() -> str:
    return f"{socket.gethostname()}:{os.getpid()}"
