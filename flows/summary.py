"""What a batch came to: a file for machines, a table for people."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from assay.artifacts.store import write_whole
from flows.outcome import SEVERITY, worst

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from flows.outcome import PackOutcome

SUMMARY_SCHEMA_VERSION: Final = "1.0"
VERDICTS: Final = {"gold": "Gold", "not_gold": "NotGold", "error": "no verdict"}
_MOST_CODES: Final = 3
_MOST_CHARACTERS: Final = 300


def write_summary(path: Path, outcomes: Sequence[PackOutcome], batch_id: str | None = None) -> None:
    """Write the summary to a file; `summary_of` says what is in it.

    Raises:
        OSError: when the file system refuses.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(summary_of(outcomes, batch_id), indent=2, sort_keys=True, ensure_ascii=False)
    write_whole(path, f"{text}\n".encode())


def summary_of(outcomes: Sequence[PackOutcome], batch_id: str | None = None) -> dict[str, Any]:
    """Return the summary as JSON: totals, and one entry for each pack in the order of the requests.

    Args:
        outcomes: of all packs.
        batch_id: the batch in the ledger; None for packs that were proven one by one.
    """
    return {
        "schema_version": SUMMARY_SCHEMA_VERSION,
        "batch_id": batch_id,
        "status": worst(outcomes),
        "totals": {status: sum(each.status == status for each in outcomes) for status in SEVERITY},
        "packs": [each.to_json() for each in outcomes],
    }


def headline(outcomes: Sequence[PackOutcome]) -> str:
    """Return one line such as `3 packs: 2 Gold, 1 NotGold`."""
    totals = summary_of(outcomes)["totals"]
    counted = ", ".join(f"{totals[status]} {text}" for status, text in VERDICTS.items() if totals[status])
    return f"{len(outcomes)} pack{'' if len(outcomes) == 1 else 's'}: {counted or 'nothing to prove'}"


def rows_of(outcomes: Sequence[PackOutcome]) -> list[dict[str, Any]]:
    """Return one table row for each pack, the red ones first."""
    worst_first = sorted(outcomes, key=lambda each: -SEVERITY[each.status])
    return [_row(each) for each in worst_first]


def _row(outcome: PackOutcome) -> dict[str, Any]:
    severities = outcome.counts("severity")
    return {
        "pack": outcome.pack_id,
        "verdict": VERDICTS[outcome.status],
        "errors": severities.get("error", 0),
        "warnings": severities.get("warning", 0),
        "why": _why(outcome),
        "cached": f"{outcome.cached}/{len(outcome.stages)}",
        "seconds": round(outcome.seconds, 1),
        "run": outcome.run_id,
    }


def _why(outcome: PackOutcome) -> str:
    """Return what made the pack red, bounded: the error, or the commonest codes."""
    if outcome.error is not None:
        return outcome.error[:_MOST_CHARACTERS]
    errors: dict[str, int] = {}
    for each in outcome.findings:
        if each["severity"] == "error":
            errors[each["code"]] = errors.get(each["code"], 0) + 1
    commonest = sorted(errors, key=lambda code: (-errors[code], code))
    shown = [f"{code} x{errors[code]}" if errors[code] > 1 else code for code in commonest[:_MOST_CODES]]
    more = [f"{len(commonest) - _MOST_CODES} more"] if len(commonest) > _MOST_CODES else []
    return ", ".join(shown + more)
