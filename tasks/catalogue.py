"""All stage tasks, by the name of their stage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from prefect.cache_policies import NO_CACHE

from assay.artifacts.roots import is_shared
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
from tasks.strength import strength
from tasks.trace import trace

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tasks.stage import StageTask

STAGE_TASKS: Final[Mapping[str, StageTask]] = {
    task.name: task
    for task in (load, probe, bind, plan, render, trace, schema_check, replay, assertions, strength, compare, report)
}


def stage_tasks_for(root: str, *, with_records: bool = True) -> dict[str, StageTask]:
    """Return the stage tasks with Prefect's records in the store at `root`, or with none.

    Without records a stage is looked for in the store by its own task, and says `Cached` just the same. That is cheaper
    for a stage that is computed, and the only way when many machines share the store.
    """
    if with_records and not is_shared(root):
        return {name: task.with_options(result_storage=records_below(root)) for name, task in STAGE_TASKS.items()}
    return {name: task.with_options(cache_policy=NO_CACHE, persist_result=False) for name, task in STAGE_TASKS.items()}
