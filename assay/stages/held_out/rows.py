"""What the scan looks at, gathered from the records of a run: every instance that passed and may be published.

Ruling 17: a row is also held out by what its values name - the value of a slot, whatever its source, and what a call
reads from an earlier result. Both are recognised exactly as binding and tracing recognise them
(`Reservations.named_by`), so what those withhold is never found here. A range gives amounts and is left alone there and
here. A text that a template writes out as an argument counts too: no other stage looks at it.

Proofs of reserved templates are no rows: they are never published.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from assay.pack.fixtures import Collections
from assay.stages.by_task import TaskReader
from assay.stages.held_out.reservations import Reservations
from assay.stages.held_out.scan import ScannedRow
from assay.stages.placeholders import texts_in
from assay.stages.superseded import value_at
from assay.stages.trace_templates import read_trace_template
from assay.values import path_text, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from assay.findings import Place
    from assay.pack.model import Pack, SlotSource, Template
    from assay.stages.call_templates import CallTemplate
    from assay.stages.records import ExpectedTrace, InstanceVerdict, RenderedConversation, TaskInstance
    from assay.stages.trace_templates import TraceTemplate
    from assay.values import JsonValue

_SHOWN: Final = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """A reserved row that something in an instance names.

    Attributes:
        ref: the row.
        told: what names it, for people.
        at: where that stands in the pack.
    """

    ref: str
    told: str
    at: Place
    slot: str | None = None
    tool: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PassedRow:
    """A row to scan, and by what its values name reserved rows: one sighting per row that is named."""

    scanned: ScannedRow
    sightings: Mapping[str, Sighting]


class RowReader:
    """Reads rows of one pack."""

    def __init__(self, pack: Pack) -> None:
        collections = Collections(pack.fixtures, pack.fixtures_at, pack.manifest.primary_keys)
        self._reservations = Reservations.of(pack.held_out, collections)
        self._tools = {tool.name: tool for tool in reversed(pack.tools)}
        self._templates = {template.template_id: template for template in reversed(pack.templates)}
        self._calls: dict[str, TraceTemplate] = {}

    def read(
        self,
        verdicts: Iterable[InstanceVerdict],
        instances: Iterable[TaskInstance],
        traces: Iterable[ExpectedTrace],
        conversations: Iterable[RenderedConversation],
    ) -> Iterator[PassedRow]:
        """Yield every row that passed, in the order of the verdicts.

        Args:
            verdicts: on all instances that were proven.
            instances: what binding left, in the order that all streams share; a verdict on something else makes a row
                of which nothing is recorded, as do those after it.
            traces: for what calls read from results.
            conversations: a row is planned to be published when its conversation was accepted.
        """
        judged, called, spoken = TaskReader(verdicts), TaskReader(traces), TaskReader(conversations)
        for instance in instances:
            verdict = judged.take_one(instance.task_id)
            trace, conversation = called.take_one(instance.task_id), spoken.take_one(instance.task_id)
            if verdict is not None and verdict.passed and not instance.reserved:
                yield self._row(instance, trace, conversation)
        for verdict in judged.rest():
            if verdict.passed:
                nothing = ScannedRow(task_id=verdict.task_id, template_id=None, fixture_refs=None, planned=False)
                yield PassedRow(scanned=nothing, sightings={})

    def _row(
        self, instance: TaskInstance, trace: ExpectedTrace | None, conversation: RenderedConversation | None
    ) -> PassedRow:
        found: dict[str, Sighting] = {}
        for each in self._sightings(instance, trace):
            found.setdefault(each.ref, each)
        scanned = ScannedRow(
            task_id=instance.task_id,
            template_id=instance.template_id,
            fixture_refs=instance.fixture_refs,
            named_refs=tuple(found),
            planned=conversation is not None and conversation.accepted,
        )
        return PassedRow(scanned=scanned, sightings=found)

    def _sightings(self, instance: TaskInstance, trace: ExpectedTrace | None) -> Iterator[Sighting]:
        template = self._templates.get(instance.template_id)
        if template is not None:
            yield from self._in_slots(template, instance)
            if trace is not None:
                yield from self._in_calls(template, trace)

    def _in_slots(self, template: Template, instance: TaskInstance) -> Iterator[Sighting]:
        for source, value in _bound_values(template, instance):
            for ref in () if _is_range(source) else self._reservations.named_by(value, source.slot):
                told = f"`{source.slot}` is {shown(value, _SHOWN)}"
                yield Sighting(ref=ref, told=told, at=source.at.place("source"), slot=source.slot)

    def _in_calls(self, template: Template, trace: ExpectedTrace) -> Iterator[Sighting]:
        """Yield what calls read from results, and texts that stand in their arguments as written."""
        read = self._calls.get(template.template_id)
        if read is None:
            read = self._calls[template.template_id] = read_trace_template(template, self._tools)
        for call in trace.calls:
            for marker in read.markers.get(call.milestone, ()):
                value = value_at(call.arguments, marker.path)
                for ref in self._reservations.read_by(marker, value):
                    told = f"{marker.source} is {shown(value, _SHOWN)}"
                    yield Sighting(ref=ref, told=told, at=marker.at, tool=call.function_name)
            yield from self._written_out(read.calls[call.milestone], call.function_name)

    def _written_out(self, call: CallTemplate, tool: str) -> Iterator[Sighting]:
        for path, text in texts_in(call.milestone.args):
            for ref in self._reservations.named_by(text, ""):
                argument = path_text(path).removeprefix("$.")
                told = f"`{argument}` of the call of `{tool}` is {shown(text, _SHOWN)}"
                yield Sighting(ref=ref, told=told, at=call.place_of(path), tool=tool)


def _bound_values(template: Template, instance: TaskInstance) -> Iterator[tuple[SlotSource, JsonValue]]:
    """Yield every source of a template with the value that was bound from it."""
    for slot in template.slots:
        yield slot.source, instance.slots_initial.get(slot.name)
    updates = {update.entry_index: update.values for update in instance.slot_updates}
    for turn in template.simulator_turns:
        for source in turn.slot_updates:
            yield source, updates.get(turn.index, {}).get(source.slot)


def _is_range(source: SlotSource) -> bool:
    return isinstance(source.source, str) and source.source.startswith("range:")
