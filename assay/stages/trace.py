"""Tracing: the expected calls of every instance.

Arguments are bound from the values in force when the call is made. Where a call reads an earlier call's result, the
oracle is asked (`assay.stages.resolution`); instances without such calls start no process. A fault of a template is
found once and leaves its instances without calls. Every instance gets a trace, derived or not
(`reference/trace-replay.md` 2).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.stages.drafts import Drafter
from assay.stages.resolution import Resolution
from assay.stages.trace_templates import read_trace_template

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from assay.config import RunConfig
    from assay.findings import Finding
    from assay.oracle.engine import Engine
    from assay.pack.model import Pack
    from assay.stages.records import ConversationPlan, ExpectedTrace, TaskInstance
    from assay.stages.trace_templates import TraceTemplate


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceResult:
    """What tracing leaves.

    Attributes:
        traces: one per planned instance, in their order.
        findings: about templates, then about instances.
        final: False when a trace rests on a deadline or a dead worker (ruling 40).
    """

    traces: tuple[ExpectedTrace, ...]
    findings: tuple[Finding, ...]
    final: bool = True


def derive_traces(
    pack: Pack,
    instances: Iterable[TaskInstance],
    plans: Iterable[ConversationPlan],
    engine_source: Callable[[], Engine],
    config: RunConfig,
) -> TraceResult:
    """Derive the expected calls of every instance that has a plan, and check the calls of every template.

    Args:
        pack: the loaded pack.
        instances: in the order in which traces are wanted.
        plans: their plans; instances without one are left out.
        engine_source: gives the engine; asked only when a call reads a result.
        config: the run config.
    """
    instances = tuple(instances)
    tools = {tool.name: tool for tool in reversed(pack.tools)}
    policies = {instance.template_id: instance.turn_policy for instance in reversed(instances)}
    templates: dict[str, TraceTemplate] = {}
    for template in pack.templates:
        read = read_trace_template(template, tools, policies.get(template.template_id))
        templates.setdefault(template.template_id, read)
    planned = {plan.task_id: plan for plan in plans}
    drafter = Drafter()
    drafts = [
        drafter.draft(instance, planned[instance.task_id], templates[instance.template_id])
        for instance in instances
        if instance.task_id in planned and instance.template_id in templates
    ]
    resolution = Resolution(pack, config)
    resolution.run(drafts, engine_source)
    static = (each for template in templates.values() for each in template.findings)
    return TraceResult(
        traces=tuple(draft.trace() for draft in drafts),
        findings=(*static, *drafter.findings(), *resolution.findings()),
        final=resolution.final,
    )
