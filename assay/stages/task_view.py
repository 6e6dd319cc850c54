"""The `task` that assertions receive: a bound instance together with the facts of its plan.

Exactly the fields that the contract lists, as plain JSON (`reference/trace-replay.md` 4.4). It is made anew for every
request, so that nothing an assertion does to it can be seen elsewhere (ruling 32).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.stages.records import ConversationPlan, TaskInstance
    from assay.values import JsonObject


def task_view(instance: TaskInstance, plan: ConversationPlan) -> JsonObject:
    """Return the task of one instance as assertions see it."""
    return {
        "task_id": instance.task_id,
        "template_id": instance.template_id,
        "variant_index": instance.variant_index,
        "seed": instance.seed,
        "slots": dict(instance.slots),
        "slots_initial": dict(instance.slots_initial),
        "slot_updates": [
            {"entry_index": update.entry_index, "values": dict(update.values), "aliases": dict(update.aliases)}
            for update in instance.slot_updates
        ],
        "fixture_refs": list(instance.fixture_refs),
        "pack_id": instance.pack_id,
        "pack_version": instance.pack_version,
        "intent": instance.intent,
        "category": instance.category,
        "difficulty": instance.difficulty,
        "turn_policy": instance.turn_policy,
        "call_order": instance.call_order,
        "call_order_prefix": instance.call_order_prefix,
        "required_tools": list(instance.required_tools),
        "tools_present": list(instance.tools_present),
        "success_assertions": list(instance.success_assertions),
        "edge_signatures": list(instance.edge_signatures),
        "mutates": instance.mutates,
        "is_multi_turn": plan.is_multi_turn,
        "num_tool_calls": plan.num_tool_calls,
        "has_user_confirmation": plan.has_user_confirmation,
        "confirmed_call_turns": list(plan.confirmed_call_turns),
    }
