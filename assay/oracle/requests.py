"""Requests as a worker reads them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.oracle.evidence import EpisodeContext


def request(op: str, *details: Any) -> bytes:
    """Return a request as JSON text. Everything beyond ASCII is escaped, unpaired surrogates too."""
    return json.dumps([op, *details]).encode()


def context_facts(context: EpisodeContext) -> dict[str, Any]:
    """Return a context as a worker receives it."""
    return {
        "clock": context.clock,
        "seed": context.seed,
        "timeout_s": context.timeout_s,
        "task_id": context.task_id,
    }
