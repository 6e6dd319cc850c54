"""What deriving calls needs of a template, and every fault of it that shows without an instance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.stages.call_templates import CallTemplate, call_templates
from assay.stages.conversation import exchanges_of, shape_of
from assay.stages.dependent import Marker, policy_faults, read_markers
from assay.stages.placeholders import lookalikes_in, names_in, texts_in
from assay.stages.texts import declared_slots, suspicious_placeholder, unbound_placeholder

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from assay.findings import Finding
    from assay.pack.model import Template, Tool


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceTemplate:
    """The calls of a template.

    Attributes:
        calls: by milestone index.
        markers: milestone index -> its usable markers; milestones without any are left out.
        findings: what is wrong with the above.
    """

    template: Template
    calls: Mapping[int, CallTemplate]
    markers: Mapping[int, tuple[Marker, ...]]
    findings: tuple[Finding, ...]

    @property
    def fault(self) -> Finding | None:
        """The first error, for which no instance of the template can have its calls; None when there is none."""
        return next((each for each in self.findings if each.is_error), None)


def read_trace_template(template: Template, tools: Mapping[str, Tool], turn_policy: str | None = None) -> TraceTemplate:
    """Read the calls of a template.

    Args:
        template: it.
        tools: the pack's tools by name.
        turn_policy: that of its instances; the template's own when omitted. Traces are judged by the former.
    """
    calls = call_templates(template, tools)
    groups = _call_groups(template)
    markers: dict[int, tuple[Marker, ...]] = {}
    found: list[Finding] = []
    for index, call in calls.items():
        found.extend(_placeholder_faults(call, template))
        usable, faults = read_markers(call, calls, groups, template.template_id)
        found.extend(faults)
        if usable:
            markers[index] = usable
    at = template.at.place("turn_policy")
    found.extend(policy_faults(turn_policy or template.turn_policy, calls, template.template_id, at))
    return TraceTemplate(template=template, calls=calls, markers=markers, findings=tuple(found))


def _call_groups(template: Template) -> dict[int, int]:
    """Return milestone index -> call group, numbered in order of issue."""
    steps = shape_of(exchanges_of(template)).steps
    return {
        milestone: step.call_group for step in steps if step.call_group is not None for milestone in step.milestones
    }


def _placeholder_faults(call: CallTemplate, template: Template) -> Iterator[Finding]:
    known = declared_slots(template)
    for path, text in texts_in(call.milestone.args):
        unbound = [name for name in names_in(text) if name not in known]
        if unbound:
            yield unbound_placeholder(unbound, known, call.place_of(path), template.template_id)
        for group in lookalikes_in(text):
            yield suspicious_placeholder(group, call.place_of(path), template.template_id)
