"""Calls that use what the user takes back (ruling 26).

A correction must come before every call that reads the corrected slot. What counts is the slot that an argument was
bound from, never the argument's name or a value that happens to be equal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.findings import Finding, finding
from assay.values import path_text, same_value, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.stages.call_templates import CallTemplate, SlotUse
    from assay.stages.records import TaskInstance
    from assay.values import JsonObject, JsonPath, JsonValue


def superseded_uses(
    call: CallTemplate, arguments: JsonObject, instance: TaskInstance
) -> Iterator[tuple[SlotUse, JsonValue]]:
    """Yield the uses of corrected slots whose argument is not what the final values make of it, with what it is."""
    replaced = {slot for update in instance.slot_updates for slot in update.values}
    if not replaced:
        return
    final = call.bind(instance.slots)
    for use in call.uses:
        if use.slot in replaced:
            value = value_at(arguments, use.path)
            if not same_value(value, value_at(final, use.path)):
                yield use, value


def value_at(value: Any, path: JsonPath) -> Any:
    """Return what stands at a path; None where there is nothing."""
    for step in path:
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return None
    return value


def superseded_finding(call: CallTemplate, use: SlotUse, value: JsonValue, instance: TaskInstance) -> Finding:
    """Return the finding about a call that uses a value which the user replaces later."""
    argument = path_text(use.path).removeprefix("$.")
    return finding(
        "superseded_slot_value_in_trace",
        f"The call of `{call.milestone.tool}` in {instance.template_id} passes {shown(value)} as `{argument}`, taken"
        f" from `{use.slot}`, which the user later changes to {shown(instance.slots[use.slot])}",
        at=call.place_of(use.path),
        template_id=instance.template_id,
        task_id=instance.task_id,
        slot=use.slot,
        tool=call.milestone.tool,
        detail={"argument": argument, "value": value, "final_value": instance.slots[use.slot]},
    )
