"""All stage tasks, by the name of their stage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tasks.assertions import assertions
from tasks.bind import bind
from tasks.cache import records_below
from tasks.compare import compare
from tasks.load import load
from tasks.plan import plan
from tasks.probe import probe
from tasks.render import render
from tasks.replay import replay
from tasks.report import report
from tasks.schema_check import schema_check
from tasks.trace import trace

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tasks.stage import StageTask

STAGE_TASKS: Final[Mapping[str, StageTask]] = {
    task.name: task
    for task in (load, probe, bind, plan, render, trace, schema_check, replay, assertions, compare, report)
}


def stage_tasks_for(root: str) -> dict[str, StageTask]:
    """Return the stage tasks with their records in the store at `root`."""
    records = records_below(root)
    return {name: task.with_options(result_storage=records) for name, task in STAGE_TASKS.items()}
