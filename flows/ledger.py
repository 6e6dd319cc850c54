"""What the flow itself adds to the run ledger: what no stage is there to write."""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING

from assay.artifacts.ledger import SERVED, StageRecord, now
from assay.artifacts.places import ledger_at
from assay.runner import close_without_verdict

if TYPE_CHECKING:
    from assay.runner import ArtifactRef, RunRequest


def record_cached(request: RunRequest, reference: ArtifactRef) -> None:
    """Record a stage that Prefect served from its cache, so that its body never ran.

    Raises:
        OSError: when the file system refuses.
    """
    record = StageRecord(
        stage=reference.stage,
        status="cached",
        key=reference.key,
        path=reference.path,
        final=reference.final,
        started=now().isoformat(),
        seconds=0.0,
        reason=SERVED,
        worker=f"{socket.gethostname()}:{os.getpid()}",
    )
    ledger_at(request.root).write_stage(request.run_id, record)


def record_error(request: RunRequest, error: str) -> None:
    """Close a run that came to no verdict, if the ledger can be written at all."""
    close_without_verdict(request, error)
