"""Ids and seeds of instances, derived exactly as the reference derives them (ruling 13).

Both are digests of one object: pack id and version, template id, fixture references, bindings, variant. The seed's
object holds the run's global seed as well; so a run with another seed keeps its ids, and any other change of the object
changes both (`reference/bind-plan-render.md` 1.7).

Limits: an id says nothing of the template's text; a pack whose texts change without a new version keeps its ids.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.values import digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from assay.values import JsonValue

_ID_DIGITS = 16
_SEED_DIGITS = 16


@dataclass(frozen=True, slots=True)
class Identity:
    """An instance's id, `<pack_id>__<template_id>__<16 hex>`, and its seed, 0 .. 2**64 - 1."""

    task_id: str
    seed: int


def correction_key(slot: str, entry_index: int) -> str:
    """Return the name under which a replacement stands among the bindings that make up an id."""
    return f"{slot}@correction{entry_index}"


def identify(
    *,
    pack_id: str,
    pack_version: str,
    template_id: str,
    fixture_refs: Iterable[str],
    bindings: Mapping[str, JsonValue],
    variant_index: int,
    global_seed: int,
) -> Identity:
    """Return the identity of an instance.

    Args:
        pack_id: manifest `pack_id`.
        pack_version: manifest `version`, as text.
        template_id: the template.
        fixture_refs: canonical references behind the bound values; their order does not matter.
        bindings: opening values by slot, and replacements by `correction_key`.
        variant_index: 0 for instances that binding makes.
        global_seed: run config `random_seed`; no part of the id.
    """
    facts: dict[str, Any] = {
        "pack_id": pack_id,
        "pack_version": pack_version,
        "template_id": template_id,
        "fixture_refs": sorted(fixture_refs),
        "slot_bindings": dict(bindings),
        "variant_index": variant_index,
    }
    task_id = f"{pack_id}__{template_id}__{digest(facts)[:_ID_DIGITS]}"
    facts["global_seed"] = global_seed
    return Identity(task_id, int(digest(facts)[:_SEED_DIGITS], 16))
