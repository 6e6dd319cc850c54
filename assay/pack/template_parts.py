"""The parts of a template: slots, milestones, simulator turns (the seed on task-template fields).

What binding checks (the text of a source or filter, `bind_as`, corrections) and what planning checks (milestone types,
what `after` refers to, the shape of a policy) is kept as written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from assay.findings import Severity
from assay.pack.model import Milestone, SimulatorTurn, Slot, SlotSource
from assay.pack.wording import quoted, spot
from assay.values import shown

if TYPE_CHECKING:
    from assay.pack.fields import Fields

_SLOT_KEYS: Final = ("source", "filter", "visible_in_first_turn", "label")
_UPDATE_KEYS: Final = ("source", "filter", "bind_as")
_TURN_KEYS: Final = ("after", "content_template", "slot_updates")
_CALL_KEYS: Final = ("tool", "args", "call_group")
_TEXT_KEYS: Final = ("slot", "content_template")
_MILESTONE_KEYS: Final = ("type", "id", *_CALL_KEYS, *_TEXT_KEYS)


def read_slots(template: Fields) -> tuple[Slot, ...]:
    """Read `slots`, in declaration order."""
    below = template.below("slots", template.mapping("slots"))
    return tuple(_read_slot(name, slot) for name, slot in _mappings_in(below))


def _mappings_in(fields: Fields) -> list[tuple[str, Fields]]:
    """Return the parts of a mapping by slot name; parts that are no mappings are reported and left out."""
    parts = []
    for name, value in fields.data.items():
        if isinstance(value, dict):
            parts.append((name, fields.below(name, value, slot=name)))
        else:
            fields.wrong("a mapping", value, name)
    return parts


def _read_slot(name: str, slot: Fields) -> Slot:
    slot.check_keys(_SLOT_KEYS)
    return Slot(
        name=name,
        source=SlotSource(slot=name, source=slot.get("source"), filter=slot.get("filter"), at=slot.at),
        visible_in_first_turn=_visibility(name, slot),
        label=_label(slot) if slot.get("label") is not None else None,
        at=slot.at,
    )


def _label(slot: Fields) -> dict[str, str]:
    """Return how people call the slot, by language; a blank label is told, because questions are made with it."""
    texts = slot.texts("label")
    label = slot.below("label", texts)
    for language, text in texts.items():
        if not text.strip():
            label.report("blank_text", f"{label.named(language)} is blank.", language, severity=Severity.WARNING)
    return texts


def _visibility(name: str, slot: Fields) -> bool:
    """Return whether the opening turn states the slot; the flag has no default, because each guard needs its slots."""
    value = slot.get("visible_in_first_turn")
    if isinstance(value, bool):
        return value
    what = f"is {shown(value, 60)}, not true or false" if "visible_in_first_turn" in slot else "is missing"
    message = f"`visible_in_first_turn` of slot {quoted(name)} {what}."
    if "visible_in_first_turn" in slot:
        slot.report("slot_missing_visibility_flag", message, "visible_in_first_turn")
    else:
        slot.report("slot_missing_visibility_flag", message, key=True)
    return True


def read_milestones(template: Fields) -> tuple[Milestone, ...]:
    """Read `assistant_milestones`, in order."""
    milestones = tuple(_read_milestone(index, each) for index, each in template.mappings("assistant_milestones"))
    first: dict[str, Milestone] = {}
    for milestone in milestones:
        if milestone.id is None:
            continue
        earlier = first.setdefault(milestone.id, milestone)
        if earlier is not milestone:
            _report_repeated_id(template, earlier, milestone)
    return milestones


def _report_repeated_id(template: Fields, earlier: Milestone, again: Milestone) -> None:
    where = earlier.at.place("id")
    message = f"The milestone id {quoted(again.id or '')} stands here and at {spot(where)}."
    template.report("duplicate_milestone_id", message, "assistant_milestones", again.index, "id")


def _read_milestone(index: int, milestone: Fields) -> Milestone:
    milestone.check_keys(_MILESTONE_KEYS)
    kind = (milestone.name("type") or "") if milestone.require("type") else ""
    is_call = kind == "tool_call"
    _report_ignored(milestone, kind, _TEXT_KEYS if is_call else _CALL_KEYS)
    return Milestone(
        index=index,
        type=kind,
        id=milestone.identity("id") if milestone.get("id") is not None else None,
        tool=_called_tool(milestone) if is_call else None,
        args=dict(milestone.mapping("args")),
        call_group=_call_group(milestone),
        slot=milestone.text("slot"),
        content_template=milestone.texts("content_template") or None,
        at=milestone.at,
    )


def _report_ignored(milestone: Fields, kind: str, names: tuple[str, ...]) -> None:
    """Report fields that mean nothing on a milestone of a type."""
    for name in names:
        if kind and milestone.get(name) is not None:
            message = f"{milestone.named(name)} means nothing on a milestone of type {quoted(kind)}."
            milestone.report("ignored_field", message, name, key=True)


def _called_tool(milestone: Fields) -> str | None:
    return milestone.name("tool") if milestone.require("tool") else None


def _call_group(milestone: Fields) -> int | str | None:
    value = milestone.get("call_group")
    if value is None or (isinstance(value, (int, str)) and not isinstance(value, bool)):
        return value
    milestone.wrong("a whole number or a text", value, "call_group")
    return None


def read_simulator_turns(template: Fields) -> tuple[SimulatorTurn, ...]:
    """Read `user_simulator_turns`, in order."""
    return tuple(_read_turn(index, each) for index, each in template.mappings("user_simulator_turns"))


def _read_turn(index: int, turn: Fields) -> SimulatorTurn:
    turn.check_keys(_TURN_KEYS)
    turn.require("content_template")
    updates = turn.below("slot_updates", turn.mapping("slot_updates"))
    return SimulatorTurn(
        index=index,
        after=turn.identity("after") if turn.get("after") is not None else None,
        content_template=turn.texts("content_template"),
        slot_updates=tuple(_read_update(name, update) for name, update in _mappings_in(updates)),
        at=turn.at,
    )


def _read_update(slot: str, update: Fields) -> SlotSource:
    update.check_keys(_UPDATE_KEYS)
    return SlotSource(
        slot=slot,
        source=update.get("source"),
        filter=update.get("filter"),
        bind_as=update.label_text("bind_as"),
        at=update.at,
    )
