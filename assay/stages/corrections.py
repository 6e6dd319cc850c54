"""Corrections: what later user turns replace, and whether they may.

A replacement is one entry of a turn's `slot_updates`. It needs the policy `correction`, a declared slot that the
opening turn states, and a source of the same kind as the slot's; and a `correction` template needs at least one
(`reference/bind-plan-render.md` 1.4). That its value differs is a question for binding.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from assay.findings import Finding, finding
from assay.findings.spelling import did_you_mean
from assay.pack.sources import split_source
from assay.stages.conversation import delivery_order
from assay.stages.plan import plan_template
from assay.stages.plan_faults import kind_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from assay.pack.model import SimulatorTurn, Slot, SlotSource, Template

INVALID: Final = "slot_correction_declaration_invalid"
"""The one code of every broken declaration."""


@dataclass(frozen=True, slots=True)
class Correction:
    """One replacement. `entry_index`: index in `user_simulator_turns` of the turn that speaks it."""

    entry_index: int
    update: SlotSource


def corrections_of(template: Template) -> tuple[Correction, ...]:
    """Return a template's replacements in the order in which the conversation delivers them.

    A turn that is never delivered counts by its own index; replacements of one turn keep their order.
    """
    ranks = delivery_order(template)
    turns = sorted(template.simulator_turns, key=lambda turn: ranks.get(turn.index, turn.index))
    return tuple(Correction(turn.index, update) for turn in turns for update in turn.slot_updates)


def check_corrections(template: Template) -> tuple[Finding, ...]:
    """Return what is wrong with a template's declarations of corrections."""
    slots = {slot.name: slot for slot in template.slots}
    found = list(_policy_faults(template))
    for turn in template.simulator_turns:
        for update in turn.slot_updates:
            found.extend(_slot_faults(template, slots, update))
        found.extend(_alias_faults(template, slots, turn))
    return tuple(found)


def _policy_faults(template: Template) -> Iterator[Finding]:
    correcting = [turn for turn in template.simulator_turns if turn.slot_updates]
    if template.turn_policy == "correction":
        if not correcting:
            yield _nothing_replaced(template)
        return
    for turn in correcting:
        yield finding(
            INVALID,
            f"Turn {turn.index + 1} replaces slots, but the policy is `{template.turn_policy}`, not `correction`.",
            at=turn.at.key_place("slot_updates"),
            template_id=template.template_id,
        )


def _nothing_replaced(template: Template) -> Finding:
    """Report a `correction` without a replacement, as a consequence of planning's finding about the same."""
    found = finding(
        INVALID,
        "The policy is `correction`, but no user turn has `slot_updates`.",
        at=template.at.place("turn_policy"),
        template_id=template.template_id,
    )
    _, planned = plan_template(template)
    root = next((each for each in planned if kind_of(each) == "correction_without_update"), None)
    return found if root is None else found.following(root)


def _slot_faults(template: Template, slots: Mapping[str, Slot], update: SlotSource) -> Iterator[Finding]:
    """Report a replacement of a slot that is unknown, withheld or sourced in another way."""
    slot = slots.get(update.slot)
    if slot is None:
        hint = did_you_mean(update.slot, slots)
        yield _invalid(template, update, f"There is no slot `{update.slot}` to replace.{hint}")
        return
    if not slot.visible_in_first_turn:
        message = f"`{update.slot}` is withheld from the first turn, so there is nothing to replace."
        yield _invalid(template, update, message)
    old, new = slot.source.source, update.source
    if isinstance(old, str) and old and isinstance(new, str) and new and split_source(old)[0] != split_source(new)[0]:
        message = f"`{update.slot}` is sourced from `{split_source(old)[0]}`, its replacement from"
        yield _invalid(template, update, f"{message} `{split_source(new)[0]}`; both need the same kind.", "source")


def _alias_faults(template: Template, slots: Mapping[str, Slot], turn: SimulatorTurn) -> Iterator[Finding]:
    """Report names given by `bind_as` that hide another value in the text of their turn."""
    taken: dict[str, str] = {}
    for update in turn.slot_updates:
        alias = update.bind_as
        if alias is None:
            continue
        if alias in taken:
            hidden = f"the new value of `{taken[alias]}`, which has the same name"
        elif alias != update.slot and alias in slots:
            hidden = f"the slot `{alias}`"
        else:
            hidden = None
        taken[alias] = update.slot
        if hidden is not None:
            yield finding(
                "slot_alias_conflict",
                f"`{{{alias}}}` is the new value of `{update.slot}` in this turn and hides {hidden}.",
                at=update.at.place("bind_as"),
                template_id=template.template_id,
                slot=update.slot,
            )


def _invalid(template: Template, update: SlotSource, message: str, about: str | None = None) -> Finding:
    place = update.at.key_place() if about is None else update.at.place(about)
    return finding(INVALID, message, at=place, template_id=template.template_id, slot=update.slot)
