"""What a stage reads, task by task: the tables of earlier stages, side by side.

All tables run through the instances in the same order and leave some out, so that a stage joins them in one pass and
holds one task at a time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from assay.artifacts import codec
from assay.stages.by_task import TaskReader, each_once, pair_up

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.pipeline.stage import StageContext
    from assay.stages.records import ConversationPlan, ExpectedTrace, RenderedConversation, SchemaCheck, TaskInstance

DEPENDENT_CALL: Final = "dependent_call"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutedTask:
    """An instance that is executed, with its plan and its calls."""

    instance: TaskInstance
    plan: ConversationPlan
    trace: ExpectedTrace


def proven(context: StageContext) -> Iterator[TaskInstance]:
    """Yield the instances that may be proven: representatives, or all of them when told so (ruling 38).

    Of a template with dependent calls all instances are looked at, because the data of one may not lead anywhere
    (ruling 25): `executed` takes the first that does. Without tools or fixtures nothing can be proven. Of instances
    with the same id, which `bind` reports, those that follow each other are proven once.
    """
    if {"tools", "fixtures"} & context.pack.unusable:
        return
    config = context.config
    yield from each_once(
        each
        for each in codec.read_task_instances(context.tables["task_instances"])
        if (each.representative or config.exhaustive or each.turn_policy == DEPENDENT_CALL)
        and (not config.templates or each.template_id in config.templates)
    )


def planned(context: StageContext) -> Iterator[tuple[TaskInstance, ConversationPlan]]:
    """Yield the instances that have a plan, with it."""
    return pair_up(proven(context), codec.read_conversation_plans(context.tables["conversation_plans"]))


def executed(context: StageContext) -> Iterator[ExecutedTask]:
    """Yield what is executed: everything, or of each template the first instance whose calls could be derived."""
    kept = None if context.config.exhaustive else _one_of_each_template(context)
    traces = TaskReader(codec.read_expected_traces(context.tables["expected_traces"], context.tables["expected_calls"]))
    for instance, plan in planned(context):
        trace = traces.take_one(instance.task_id)
        if trace is not None and (kept is None or instance.task_id in kept):
            yield ExecutedTask(instance=instance, plan=plan, trace=trace)


def _one_of_each_template(context: StageContext) -> set[str]:
    """Return the tasks that stand for their templates."""
    chosen: dict[str, tuple[str, bool]] = {}
    columns = ("task_id", "template_id", "derived")
    for task_id, template_id, derived in context.tables["expected_traces"].values(*columns):
        _, is_derived = chosen.setdefault(template_id, (task_id, derived))
        if derived and not is_derived:
            chosen[template_id] = (task_id, derived)
    return {task_id for task_id, _ in chosen.values()}


def conversations(context: StageContext) -> TaskReader[RenderedConversation]:
    """Return what hands out the conversations of tasks in order."""
    return TaskReader(codec.read_rendered_conversations(context.tables["rendered_conversations"]))


def checks(context: StageContext) -> Iterator[SchemaCheck]:
    """Yield the schema checks: one for each task of `executed`, in the same order."""
    return codec.read_schema_checks(context.tables["schema_checks"])
