"""The static check of expected calls: published schemas, exposure, the user's consent, order, origin of values.

No oracle is asked. Every instance gets a verdict with the contract's failure records; the findings say each fault once
per template, however many instances show it. Reasons and order: `reference/trace-replay.md` 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from assay.schema.arguments import SCHEMA_REASONS
from assay.stages.by_task import TaskReader, pair_up
from assay.stages.call_check import CallCheck
from assay.stages.call_order import trace_failures
from assay.stages.call_templates import call_templates
from assay.stages.provenance import Provenance
from assay.stages.records import SchemaCheck
from assay.stages.tally import FindingTally
from assay.stages.trace_findings import call_finding, trace_finding

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

    from assay.findings import Finding
    from assay.pack.model import Pack
    from assay.stages.call_check import CallFailure
    from assay.stages.call_templates import CallTemplate
    from assay.stages.records import ConversationPlan, ExpectedCall, ExpectedTrace, RenderedConversation, TaskInstance
    from assay.values import JsonObject

NOT_DERIVED = "trace_not_derived"
MISMATCH = "expected_trace_schema_mismatch"


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaCheckResult:
    """What the check leaves.

    Attributes:
        checks: one per trace, in their order.
        findings: about calls and traces, then about the origin of values.
    """

    checks: tuple[SchemaCheck, ...]
    findings: tuple[Finding, ...]


def check_traces(
    pack: Pack,
    instances: Iterable[TaskInstance],
    plans: Iterable[ConversationPlan],
    traces: Iterable[ExpectedTrace],
    conversations: Iterable[RenderedConversation] = (),
) -> SchemaCheckResult:
    """Check the calls of every instance that has a plan and a trace, and hold all that comes of it.

    Args:
        pack: the loaded pack.
        instances: the bound templates.
        plans: their plans, in the same order, as are the others; instances without a plan or a trace are left out.
        traces: their calls.
        conversations: the same in words, where they could be rendered; the origin of values is checked in these.
    """
    checking = SchemaChecking(pack)
    called, spoken = TaskReader(traces), TaskReader(conversations)
    checks = []
    for instance, plan in pair_up(instances, plans):
        trace, conversation = called.take_one(instance.task_id), spoken.take_one(instance.task_id)
        if trace is not None:
            checks.append(checking.check(instance, plan, trace, conversation))
    return SchemaCheckResult(checks=tuple(checks), findings=checking.findings())


_TraceShape: TypeAlias = "tuple[Hashable, ...]"


class SchemaChecking:
    """Checks traces as they come and collects what is wrong with them."""

    def __init__(self, pack: Pack) -> None:
        tools = {tool.name: tool for tool in reversed(pack.tools)}
        self._templates = {template.template_id: template for template in reversed(pack.templates)}
        self._calls: Mapping[str, Mapping[int, CallTemplate]] = {
            template_id: call_templates(template, tools) for template_id, template in self._templates.items()
        }
        self._call_check = CallCheck(tools, pack.manifest.confirmation)
        self._provenance = Provenance(pack)
        self._tally = FindingTally()
        self._trace_failures: dict[_TraceShape, tuple[JsonObject, ...]] = {}

    def findings(self) -> tuple[Finding, ...]:
        """Return what was found so far."""
        return (*self._tally.findings(), *self._provenance.findings())

    def check(
        self,
        instance: TaskInstance,
        plan: ConversationPlan,
        trace: ExpectedTrace,
        conversation: RenderedConversation | None = None,
    ) -> SchemaCheck:
        """Return the verdict on one trace; with its conversation, look also where the values of its calls come from."""
        if not trace.derived:
            return _verdict(trace, NOT_DERIVED, [{"reason": NOT_DERIVED, "detail": trace.drop_reason}])
        calls = self._calls.get(instance.template_id, {})
        if conversation is not None:
            self._provenance.look_at(instance, plan, conversation, calls)
        records: list[JsonObject] = []
        for call in trace.calls:
            for failure in self._call_check.check(call, calls.get(call.milestone), instance, plan):
                records.append(failure.to_json())
                if failure.reason not in SCHEMA_REASONS:
                    self._tally.add(self._call_finding(failure, call, instance), apart=(call.milestone, failure.path))
        for record in self._whole_trace(instance, trace):
            records.append(record)
            self._tally.add(trace_finding(record, self._templates.get(instance.template_id), instance))
        return _verdict(trace, MISMATCH if records else None, records)

    def _call_finding(self, failure: CallFailure, call: ExpectedCall, instance: TaskInstance) -> Finding:
        return call_finding(failure, call, self._calls.get(instance.template_id, {}).get(call.milestone), instance)

    def _whole_trace(self, instance: TaskInstance, trace: ExpectedTrace) -> tuple[JsonObject, ...]:
        """Return the failures of a trace as a whole, worked out once for all instances whose calls stand alike."""
        numbers = [(each.turn_index, each.call_group, each.position_in_group) for each in trace.calls]
        names = [(each.function_name, isinstance(each.arguments, dict)) for each in trace.calls]
        shape = (instance.template_id, *numbers, *names)
        if shape not in self._trace_failures:
            self._trace_failures[shape] = tuple(trace_failures(instance, trace.calls))
        return self._trace_failures[shape]


def _verdict(trace: ExpectedTrace, reject_reason: str | None, failures: Iterable[JsonObject]) -> SchemaCheck:
    return SchemaCheck(
        task_id=trace.task_id,
        template_id=trace.template_id,
        reject_reason=reject_reason,
        failures=tuple(failures),
    )
