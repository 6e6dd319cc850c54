"""What a case gives, as the models and files that our functions take."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import yaml

from assay.stages.conversation import exchanges_of, shape_of
from assay.stages.plan import plan_instance
from assay.stages.records import SlotUpdate
from tests.support import models
from tests.support.pack_files import FILES, write_pack
from tests.support.records import instance

if TYPE_CHECKING:
    from pathlib import Path

    from assay.pack.model import Pack
    from assay.stages.records import ConversationPlan, TaskInstance


def pack_of(given: dict[str, Any], *entries: dict[str, Any]) -> Pack:
    """Return a pack of the given tools and manifest, with these templates."""
    return models.pack(*entries, tools=given.get("tools", ()), **given.get("manifest", {}))


def task_of(pack: Pack, facts: dict[str, Any]) -> TaskInstance:
    """Return the instance that a case describes; what it leaves out is the template's."""
    made = instance(pack, facts["template_id"], **facts.get("slots", {}))
    names = ("task_id", "seed", "turn_policy", "call_order", "call_order_prefix", "slots_initial")
    lists = ("tools_present", "required_tools", "success_assertions")
    given = {name: facts[name] for name in names if name in facts}
    given |= {name: tuple(facts[name]) for name in lists if name in facts}
    given["slot_updates"] = tuple(SlotUpdate(**update) for update in facts.get("slot_updates", ()))
    return replace(made, **given)


def plan_of(pack: Pack, task: TaskInstance) -> ConversationPlan:
    """Return the conversation that an instance's template lays down."""
    template = pack.template_named(task.template_id)
    assert template is not None
    return plan_instance(task, shape_of(exchanges_of(template)))


def write_pack_with_rows(folder: Path, collection: str, rows: list[dict[str, Any]], manifest: dict[str, Any]) -> Path:
    """Write a pack whose first template binds a slot to the last field of a collection's rows."""
    text = yaml.safe_load(FILES["task_templates.yaml"])
    field = [*rows[0]][-1]
    text[0]["slots"]["record_id"]["source"] = f"fixture:{collection}.{field}"
    fixtures = {**json.loads(FILES["fixtures.json"]), collection: rows}
    declared = yaml.safe_load(FILES["manifest.yaml"])
    for key, facts in manifest.items():
        declared[key] |= facts
    return write_pack(
        folder, manifest=yaml.safe_dump(declared), task_templates=yaml.safe_dump(text), fixtures=json.dumps(fixtures)
    )
