"""From a drawn combination to a task instance."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from assay.stages.identity import correction_key, identify
from assay.stages.records import SlotUpdate, TaskInstance

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.pack.candidates import Candidate
    from assay.pack.model import Manifest, Template
    from assay.stages.combinations import Position
    from assay.values import JsonValue


def make_instance(
    template: Template,
    manifest: Manifest,
    positions: Sequence[Position],
    choice: Sequence[int],
    *,
    global_seed: int,
    representative: bool,
) -> TaskInstance:
    """Return the instance of one combination (`reference/bind-plan-render.md` 1.7).

    Args:
        template: what is bound.
        manifest: names the pack.
        positions: slots, then replacements in order of delivery.
        choice: one candidate index per position.
        global_seed: run config `random_seed`.
        representative: it is the one instance that validation proves unless told to prove all.
    """
    bound = [(position, position.candidates[index]) for position, index in zip(positions, choice, strict=True)]
    initial = {position.slot: candidate.value for position, candidate in bound if position.entry_index is None}
    updates = _slot_updates(bound)
    refs = sorted({candidate.ref for _, candidate in bound if candidate.ref is not None})
    bindings = dict(initial)
    for update in updates:
        bindings.update({correction_key(slot, update.entry_index): value for slot, value in update.values.items()})
    identity = identify(
        pack_id=manifest.pack_id,
        pack_version=manifest.version,
        template_id=template.template_id,
        fixture_refs=refs,
        bindings=bindings,
        variant_index=0,
        global_seed=global_seed,
    )
    return TaskInstance(
        task_id=identity.task_id,
        template_id=template.template_id,
        pack_id=manifest.pack_id,
        pack_version=manifest.version,
        intent=template.intent,
        category=template.category,
        difficulty=template.difficulty,
        turn_policy=template.turn_policy,
        call_order=template.call_order,
        call_order_prefix=template.call_order_prefix,
        variant_index=0,
        seed=identity.seed,
        representative=representative,
        mutates=template.mutates,
        required_tools=template.required_tools,
        tools_present=template.tools_present,
        success_assertions=template.success_assertions,
        edge_signatures=template.edge_signatures,
        fixture_refs=tuple(refs),
        slots=_final(initial, updates),
        slots_initial=initial,
        slot_updates=updates,
    )


def _slot_updates(bound: Sequence[tuple[Position, Candidate]]) -> tuple[SlotUpdate, ...]:
    """Return the replacements, those of one turn together."""
    replaced = [(position, candidate) for position, candidate in bound if position.entry_index is not None]
    updates = []
    for entry_index, group in groupby(replaced, key=lambda pair: pair[0].entry_index):
        pairs = list(group)
        values = {position.slot: candidate.value for position, candidate in pairs}
        aliases = {position.alias: candidate.value for position, candidate in pairs if position.alias}
        updates.append(SlotUpdate(entry_index=entry_index or 0, values=values, aliases=aliases))
    return tuple(updates)


def _final(initial: dict[str, JsonValue], updates: Sequence[SlotUpdate]) -> dict[str, JsonValue]:
    final = dict(initial)
    for update in updates:
        final.update(update.values)
    return final
