"""Calls of one instance as far as its template and its slots make them: what results supply is still open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.stages.records import ExpectedCall, ExpectedTrace
from assay.stages.superseded import superseded_finding, superseded_uses
from assay.stages.tally import FindingTally
from assay.stages.timeline import moments

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.findings import Finding
    from assay.stages.records import ConversationPlan, TaskInstance
    from assay.stages.trace_templates import TraceTemplate


@dataclass(slots=True)
class Draft:
    """An instance's calls under way.

    Attributes:
        calls: in order of issue; `from_result` markers are still in place in those that wait.
        drop_reason: why the instance has no calls; None as long as it may get them.
    """

    instance: TaskInstance
    template: TraceTemplate
    calls: tuple[ExpectedCall, ...] = ()
    drop_reason: str | None = None

    @property
    def waits(self) -> bool:
        """Whether a call still has to be given what it reads from a result."""
        return self.drop_reason is None and any(call.milestone in self.template.markers for call in self.calls)

    def trace(self) -> ExpectedTrace:
        """Return the calls, or why there are none."""
        return ExpectedTrace(
            task_id=self.instance.task_id,
            template_id=self.instance.template_id,
            turn_policy=self.instance.turn_policy,
            calls=self.calls if self.drop_reason is None else (),
            drop_reason=self.drop_reason,
        )


class Drafter:
    """Drafts instances and collects calls that use what the user takes back later."""

    def __init__(self) -> None:
        self._tally = FindingTally()

    def findings(self) -> tuple[Finding, ...]:
        """Return what was found so far."""
        return self._tally.findings()

    def draft(self, instance: TaskInstance, plan: ConversationPlan, template: TraceTemplate) -> Draft:
        """Bind the calls of an instance; a fault of the template leaves it without any."""
        if template.fault is not None:
            return Draft(instance, template, drop_reason=f"the template has a fault: {template.fault.code}")
        draft = Draft(instance, template, calls=tuple(_bound_calls(instance, plan, template)))
        for call in draft.calls:
            for use, value in superseded_uses(template.calls[call.milestone], call.arguments, instance):
                told = superseded_finding(template.calls[call.milestone], use, value, instance)
                self._tally.add(told, apart=(call.milestone, use.path))
                draft.drop_reason = f"a call uses the value of `{use.slot}` that the user replaces"
        return draft


def _bound_calls(instance: TaskInstance, plan: ConversationPlan, template: TraceTemplate) -> Iterator[ExpectedCall]:
    """Yield the calls with the slot values in force at each."""
    for moment in moments(instance, plan):
        step = moment.step
        for position, milestone in enumerate(step.milestones if step.kind == "calls" else ()):
            call = template.calls[milestone]
            yield ExpectedCall(
                turn_index=step.turn_index or 0,
                call_group=step.call_group or 0,
                position_in_group=position,
                function_name=call.milestone.tool or "",
                arguments=call.bind(moment.values),
                milestone=milestone,
            )
