"""The task of stage `assert`, whose name is a keyword of Python's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tasks.stage import execute, stage_task

if TYPE_CHECKING:
    from prefect.client.schemas.objects import State

    from tasks.stage import Json


@stage_task("assert")
def assertions(pack: str, request: Json, upstream: Json) -> Json | State[Json]:
    """Run each task's success assertions over the evidence of both replays."""
    return execute("assert", request, upstream)
