"""The task of stage `bind`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tasks.stage import execute, stage_task

if TYPE_CHECKING:
    from prefect.client.schemas.objects import State

    from tasks.stage import Json


@stage_task("bind")
def bind(pack: str, request: Json, upstream: Json) -> Json | State[Json]:
    """Bind the slots of every template to values and draw the task instances."""
    return execute("bind", request, upstream)
