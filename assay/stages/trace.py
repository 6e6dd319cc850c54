"""Tracing: the expected calls of every instance.

Arguments are bound from the values in force when the call is made. Where a call reads an earlier call's result, the
oracle is asked (`assay.stages.resolution`); instances without such calls start no process. A fault of a template is
found once and leaves its instances without calls. Every instance gets a trace, derived or not
(`reference/trace-replay.md` 2).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.stages.by_task import pair_up
from assay.stages.drafts import Drafter
from assay.stages.resolution import Resolution
from assay.stages.trace_templates import read_trace_template

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from assay.config import RunConfig
    from assay.findings import Finding
    from assay.oracle.engine import Engine
    from assay.pack.model import Pack
    from assay.stages.drafts import Draft
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
    """Derive the expected calls of every instance that has a plan, and hold all that comes of it.

    Args:
        pack: the loaded pack.
        instances: in the order in which traces are wanted.
        plans: their plans, in the same order; instances without one are left out.
        engine_source: gives the engine; asked only when a call reads a result.
        config: the run config.
    """
    tracing = Tracing(pack, engine_source, config)
    traces = tuple(tracing.traces(pair_up(instances, plans)))
    return TraceResult(traces=traces, findings=tracing.findings(), final=tracing.final)


class Tracing:
    """Derives the expected calls of planned instances as they come, and checks the calls of every template."""

    def __init__(self, pack: Pack, engine_source: Callable[[], Engine], config: RunConfig) -> None:
        self._tools = {tool.name: tool for tool in reversed(pack.tools)}
        self._declared = {template.template_id: template for template in reversed(pack.templates)}
        self._read: dict[str, TraceTemplate] = {}
        self._drafter = Drafter()
        self._resolution = Resolution(pack, config, engine_source)

    @property
    def final(self) -> bool:
        """False as soon as a trace rests on a deadline or a dead worker (ruling 40)."""
        return self._resolution.final

    def traces(self, tasks: Iterable[tuple[TaskInstance, ConversationPlan]]) -> Iterator[ExpectedTrace]:
        """Yield the traces of planned instances in their order, derived or not."""
        for draft in self._resolution.resolved(self._drafts(tasks)):
            yield draft.trace()

    def _drafts(self, tasks: Iterable[tuple[TaskInstance, ConversationPlan]]) -> Iterator[Draft]:
        for instance, plan in tasks:
            if instance.template_id in self._declared:
                yield self._drafter.draft(instance, plan, self._template(instance.template_id, instance.turn_policy))

    def _template(self, template_id: str, turn_policy: str | None = None) -> TraceTemplate:
        """Return the calls of a template, read under the policy of its first instance."""
        if template_id not in self._read:
            self._read[template_id] = read_trace_template(self._declared[template_id], self._tools, turn_policy)
        return self._read[template_id]

    def findings(self) -> tuple[Finding, ...]:
        """Return what was found so far: about templates in their order, then about instances."""
        static = (each for name in reversed(self._declared) for each in self._template(name).findings)
        return (*static, *self._drafter.findings(), *self._resolution.findings())
