"""The task of stage `trace`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tasks.stage import execute, stage_task

if TYPE_CHECKING:
    from prefect.client.schemas.objects import State

    from tasks.stage import Json


@stage_task("trace")
def trace(pack: str, request: Json, upstream: Json) -> Json | State[Json]:
    """Derive the calls that each conversation must lead to, asking the oracle where one needs an earlier result."""
    return execute("trace", request, upstream)
