"""The task of stage `replay`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tasks.stage import execute, stage_task

if TYPE_CHECKING:
    from prefect.client.schemas.objects import State

    from tasks.stage import Json


@stage_task("replay")
def replay(pack: str, request: Json, upstream: Json) -> Json | State[Json]:
    """Execute every expected trace twice, in confined processes that differ in what a backend must not depend on."""
    return execute("replay", request, upstream)
