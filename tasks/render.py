"""The task of stage `render`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tasks.stage import execute, stage_task

if TYPE_CHECKING:
    from prefect.client.schemas.objects import State

    from tasks.stage import Json


@stage_task("render")
def render(pack: str, request: Json, upstream: Json) -> Json | State[Json]:
    """Write out every turn of every planned conversation and judge its wording."""
    return execute("render", request, upstream)
