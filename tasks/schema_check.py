"""The task of stage `schema_check`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tasks.stage import execute, stage_task

if TYPE_CHECKING:
    from prefect.client.schemas.objects import State

    from tasks.stage import Json


@stage_task("schema_check")
def schema_check(pack: str, request: Json, upstream: Json) -> Json | State[Json]:
    """Check the arguments of every expected call against the schema of its tool."""
    return execute("schema_check", request, upstream)
