"""What a batch leaves in the store: a record in the ledger when it begins and ends, and a table of its packs."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from assay.artifacts.batches import BatchRow, write_batch_table
from assay.artifacts.ledger import now
from assay.artifacts.places import ledger_at, store_at
from flows.summary import summary_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.artifacts.ledger import Ledger
    from assay.runner import RunRequest
    from flows.outcome import PackOutcome


def open_batch(batch_id: str, requests: Sequence[RunRequest], **facts: Any) -> None:
    """Record that a batch begins, with all its runs, in the store of its first pack: a batch that dies leaves a trace.

    Args:
        batch_id: an id like that of a run.
        requests: one for each pack; nothing is recorded when there is none.
        facts: what else is to be remembered of it.

    Raises:
        OSError: when the file system refuses.
    """
    if requests:
        record = {
            "status": "running",
            "runs": [each.run_id for each in requests],
            "requests": [each.to_json() for each in requests],
            "started": now().isoformat(),
            **facts,
        }
        ledger_at(requests[0].root).write_batch(batch_id, record)


def close_batch(batch_id: str, outcomes: Sequence[PackOutcome]) -> None:
    """Record what a batch came to, and write the table of its packs.

    Raises:
        OSError: when the file system refuses.
    """
    if not outcomes:
        return
    root = outcomes[0].request.root
    ledger = ledger_at(root)
    summary = summary_of(outcomes)
    record = {name: value for name, value in (ledger.read_batch(batch_id) or {}).items() if name != "batch_id"}
    closed = {"status": summary["status"], "totals": summary["totals"], "finished": now().isoformat()}
    write_batch_table(store_at(root), batch_id, [_row(ledger, each) for each in outcomes])
    ledger.write_batch(batch_id, {**record, **closed})


def _row(ledger: Ledger, outcome: PackOutcome) -> BatchRow:
    run: dict[str, Any] = {}
    with suppress(OSError):
        run = ledger.read_run(outcome.run_id) or {}
    report = outcome.report or {}
    severities = outcome.counts("severity")
    return BatchRow(
        run_id=outcome.run_id,
        pack=outcome.request.pack or outcome.request.config or "",
        pack_id=outcome.pack_id,
        pack_version=report.get("pack_version"),
        pack_fingerprint=report.get("pack_fingerprint"),
        status=outcome.status,
        tier=report.get("tier"),
        errors=severities.get("error", 0),
        warnings=severities.get("warning", 0),
        notes=severities.get("note", 0),
        codes=outcome.counts("code"),
        error=outcome.error,
        deadline_passed=outcome.deadline_passed,
        cached_stages=outcome.cached,
        computed_stages=sum(each.status == "computed" for each in outcome.stages.values()),
        started=run.get("started"),
        seconds=outcome.seconds,
    )
