"""The task of stage `report`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tasks.stage import execute, stage_task

if TYPE_CHECKING:
    from prefect.client.schemas.objects import State

    from tasks.stage import Json


@stage_task("report")
def report(pack: str, request: Json, upstream: Json) -> Json | State[Json]:
    """Decide the whole-pack checks from the findings of all stages."""
    return execute("report", request, upstream)
