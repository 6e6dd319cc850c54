"""`{slot_name}`: how an assistant text names the slot that it asks for (`reference/bind-plan-render.md` 3.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from assay.findings import Finding, finding

if TYPE_CHECKING:
    from assay.pack.model import Milestone, Slot, Template

SLOT_NAME: Final = "slot_name"


def shown_slot_name(milestone: Milestone, template: Template, language: str) -> str | Finding | None:
    """Return what `{slot_name}` stands for: the slot's label in a language, or its name when it has no label at all.

    The slot is the one that the milestone names, else the only withheld one.

    Returns:
        The text; a finding when there is none; None when loading or planning has told why there is none.
    """
    slot = _slot_asked_for(milestone, template)
    if slot is None:
        return None if _told_by_planning(milestone, template) else _unresolved(milestone, template)
    if slot.label is None:
        return slot.name
    if language in slot.label:
        return str(slot.label[language])
    written = slot.at.data("label")
    if not isinstance(written, dict) or language in written:
        return None
    return finding(
        "label_without_language",
        f"The label of slot `{slot.name}` has no text in `{language}`, the language of this run.",
        at=slot.at.place("label"),
        template_id=template.template_id,
        slot=slot.name,
        detail={"language": language, "declared": sorted(slot.label)},
    )


def _slot_asked_for(milestone: Milestone, template: Template) -> Slot | None:
    if milestone.slot is not None:
        return template.slot_named(milestone.slot)
    return template.withheld[0] if len(template.withheld) == 1 else None


def _told_by_planning(milestone: Milestone, template: Template) -> bool:
    """Say whether planning reports the question itself: it names an unknown slot, or none of several."""
    return milestone.type == "ask_for_slot" and (milestone.slot is not None or len(template.withheld) > 1)


def _unresolved(milestone: Milestone, template: Template) -> Finding:
    if milestone.slot is not None:
        why = f"the milestone names `{milestone.slot}`, which the template does not declare"
    else:
        count = len(template.withheld)
        why = f"the milestone names no slot and the template withholds {count or 'none'}"
    return finding(
        "slot_name_unresolved",
        f"The text of milestone {milestone.index + 1} (`{milestone.type}`) uses `{{slot_name}}`, but {why}.",
        at=milestone.at.place("slot") if milestone.slot is not None else milestone.at.place(),
        template_id=template.template_id,
    )
