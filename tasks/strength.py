"""The task of stage `strength`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tasks.stage import execute, stage_task

if TYPE_CHECKING:
    from prefect.client.schemas.objects import State

    from tasks.stage import Json


@stage_task("strength")
def strength(pack: str, request: Json, upstream: Json) -> Json | State[Json]:
    """Run the assertions over evidence that is wrong in one fact, and see whether they notice."""
    return execute("strength", request, upstream)
