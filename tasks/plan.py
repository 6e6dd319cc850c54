"""The task of stage `plan`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tasks.stage import execute, stage_task

if TYPE_CHECKING:
    from prefect.client.schemas.objects import State

    from tasks.stage import Json


@stage_task("plan")
def plan(pack: str, request: Json, upstream: Json) -> Json | State[Json]:
    """Turn the milestones of every instance into turns and hold them to the template's turn policy."""
    return execute("plan", request, upstream)
