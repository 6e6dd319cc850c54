"""The task of stage `compare`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tasks.stage import execute, stage_task

if TYPE_CHECKING:
    from prefect.client.schemas.objects import State

    from tasks.stage import Json


@stage_task("compare")
def compare(pack: str, request: Json, upstream: Json) -> Json | State[Json]:
    """Compare results, states and outcomes of the two replays and find the cause where they part."""
    return execute("compare", request, upstream)
