"""A pack with reserved rows, and records that ignore the policy: what binding and tracing would never leave."""

from __future__ import annotations

from dataclasses import replace

from assay.stages.held_out import RowReader
from assay.stages.records import GuardViolation, InstanceVerdict, RenderedConversation, SlotUpdate
from tests.support import records
from tests.support.models import pack

A, B = '["ovens","OV-A"]', '["ovens","OV-B"]'
RESERVED = {"fixtures": {"ovens": ["OV-A"], "parts": ["3"]}, "templates": ["kept"]}
ROWS = {"ovens": [{"oven_id": "OV-A", "size": 1}, {"oven_id": "OV-B", "size": 2}], "parts": [{"part_id": 3}]}
BAKE = {"function": {"name": "bake", "parameters": {"type": "object", "properties": {}, "required": []}}}
CALL = {"type": "tool_call", "tool": "bake"}


def bakery(*entries, **parts):
    """Return a pack; an entry lacks what does not matter here."""
    return pack(*entries, **{"fixtures": ROWS, "tools": [BAKE], "reserved": RESERVED, **parts})


def entry(template_id="t", *milestones, slots=None, **fields):
    slots = {name: {"source": source} for name, source in (slots or {}).items()}
    return {"template_id": template_id, "slots": slots, "assistant_milestones": list(milestones), **fields}


def bound(model, template_id="t", number=0, *, refs=(), updates=(), reserved=False, **slots):
    """Return an instance. `updates`: pairs of the turn's index and what changes there."""
    made = records.instance(model, template_id, number, **slots)
    changes = tuple(SlotUpdate(entry_index=index, values=values, aliases={}) for index, values in updates)
    return replace(made, fixture_refs=tuple(refs), slot_updates=changes, reserved=reserved)


def passed(instance, outcome=True):
    return InstanceVerdict(task_id=instance.task_id, template_id=instance.template_id, passed=outcome)


def spoken(instance, *guards):
    return RenderedConversation(
        task_id=instance.task_id,
        template_id=instance.template_id,
        language="en",
        system_prompt_id="sha256:0",
        turns=(),
        guard_violations=tuple(GuardViolation(guard=guard, turn=0) for guard in guards),
    )


def rows_of(model, instances, traces=(), verdicts=None, conversations=None):
    """Return the rows of instances that all passed and were accepted, unless told otherwise."""
    verdicts = [passed(each) for each in instances] if verdicts is None else verdicts
    conversations = [spoken(each) for each in instances] if conversations is None else conversations
    return tuple(RowReader(model).read(verdicts, instances, traces, conversations))
