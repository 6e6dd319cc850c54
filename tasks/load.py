"""The task of stage `load`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tasks.stage import execute, stage_task

if TYPE_CHECKING:
    from prefect.client.schemas.objects import State

    from tasks.stage import Json


@stage_task("load")
def load(pack: str, request: Json, upstream: Json) -> Json | State[Json]:
    """Read the pack's files, check their form, and copy them into the snapshot that every later stage reads."""
    return execute("load", request, upstream)
