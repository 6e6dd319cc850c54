"""The task of stage `probe`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tasks.stage import execute, stage_task

if TYPE_CHECKING:
    from prefect.client.schemas.objects import State

    from tasks.stage import Json


@stage_task("probe")
def probe(pack: str, request: Json, upstream: Json) -> Json | State[Json]:
    """Run the validation cases against the oracle, and the probes of confirmation, mutation, determinism and errors."""
    return execute("probe", request, upstream)
