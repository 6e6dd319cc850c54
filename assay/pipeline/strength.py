"""Stage `strength` as the pipeline calls it: a task of each template out of the tables, its judged mutants into one."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from assay.artifacts import codec
from assay.pipeline.stage import StageOutput
from assay.stages.by_task import TaskReader, each_once
from assay.stages.strength import MeasuredTask, choose_tasks, judge_mutants
from assay.stages.strength_review import StrengthReview

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.artifacts.table_rows import TableRows
    from assay.pipeline.stage import RowStream, StageContext


def strength(context: StageContext) -> RowStream:
    """Let the assertions judge mutants of evidence that they accept; nothing when told to leave mutants out."""
    review = StrengthReview(context.pack)
    tasks = _measured(context) if context.config.mutants else ()
    mutants = judge_mutants(context.pack, tasks, context.engine_source, context.config)
    for mutant in review.watch(mutants):
        yield "mutants", codec.mutant_row(context.identity, mutant)
    return StageOutput(findings=review.findings(), final=review.final)


def _measured(context: StageContext) -> Iterator[MeasuredTask]:
    """Yield one task of each template, with its records, in the order of the instances."""
    given = context.tables
    chosen = choose_tasks(_passed(given["assertion_outcomes"]), codec.read_task_instances(given["task_instances"]))
    instances = (each for each in codec.read_task_instances(given["task_instances"]) if each.task_id in chosen)
    plans = TaskReader(codec.read_conversation_plans(given["conversation_plans"]))
    replays = TaskReader(codec.read_replays(given["replay_states"], given["replays"]))
    for instance in each_once(instances):
        (plan,) = plans.seek(instance.task_id)
        first = next(each for each in replays.seek(instance.task_id) if each.attempt == 1)
        yield MeasuredTask(instance=instance, plan=plan, replay=first)


def _passed(outcomes: TableRows) -> Iterator[str]:
    """Yield the tasks all of whose assertions passed, in both attempts. Outcomes of one task stand together."""
    for task_id, rows in groupby(outcomes.values("task_id", "attempt", "status"), key=itemgetter(0)):
        told = tuple(rows)
        if all(status == "passed" for _, _, status in told) and {attempt for _, attempt, _ in told} == {1, 2}:
            yield task_id
