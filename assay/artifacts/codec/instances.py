"""Bound instances and their plans."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.artifacts.codec.rows import from_text
from assay.stages.records import (
    ConversationPlan,
    PlanStep,
    SlotUpdate,
    TaskInstance,
)
from assay.values import canonical_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from assay.artifacts.codec.rows import PackIdentity, Row


def task_instance_row(identity: PackIdentity, task: TaskInstance) -> Row:
    """Return the row of a bound instance."""
    updates = [
        {
            "entry_index": update.entry_index,
            "values": canonical_json(update.values),
            "aliases": canonical_json(update.aliases),
        }
        for update in task.slot_updates
    ]
    return (
        *identity.columns,
        task.template_id,
        task.task_id,
        task.intent,
        task.category,
        task.difficulty,
        task.turn_policy,
        task.call_order,
        task.call_order_prefix,
        task.variant_index,
        task.seed,
        task.representative,
        task.mutates,
        task.required_tools,
        task.tools_present,
        task.success_assertions,
        task.edge_signatures,
        task.fixture_refs,
        canonical_json(task.slots),
        canonical_json(task.slots_initial),
        updates,
        task.reserved,
    )


def read_task_instances(rows: Iterable[Mapping[str, Any]]) -> Iterator[TaskInstance]:
    """Read back the bound instances, in order."""
    return map(_read_instance, rows)


def _read_instance(row: Mapping[str, Any]) -> TaskInstance:
    slots = from_text(row["slots"])
    return TaskInstance(
        task_id=row["task_id"],
        template_id=row["template_id"],
        pack_id=row["pack_id"],
        pack_version=row["pack_version"],
        intent=row["intent"],
        category=row["category"],
        difficulty=row["difficulty"],
        turn_policy=row["turn_policy"],
        call_order=row["call_order"],
        call_order_prefix=row["call_order_prefix"],
        variant_index=row["variant_index"],
        seed=row["seed"],
        representative=row["representative"],
        mutates=row["mutates"],
        required_tools=tuple(row["required_tools"]),
        tools_present=tuple(row["tools_present"]),
        success_assertions=tuple(row["success_assertions"]),
        edge_signatures=tuple(row["edge_signatures"]),
        fixture_refs=tuple(row["fixture_refs"]),
        slots=slots,
        slots_initial=slots if row["slots_initial"] == row["slots"] else from_text(row["slots_initial"]),
        slot_updates=tuple(map(_read_update, row["slot_updates"])),
        reserved=row["reserved"],
    )


def _read_update(update: Mapping[str, Any]) -> SlotUpdate:
    return SlotUpdate(
        entry_index=update["entry_index"],
        values=from_text(update["values"]),
        aliases=from_text(update["aliases"]),
    )


_STEP_FIELDS = tuple(PlanStep.__slots__)


def conversation_plan_row(identity: PackIdentity, plan: ConversationPlan) -> Row:
    """Return the row of an instance's plan."""
    return (
        *identity.columns,
        plan.template_id,
        plan.task_id,
        plan.turn_policy,
        [{name: getattr(step, name) for name in _STEP_FIELDS} for step in plan.steps],
        plan.confirmed_call_turns,
        plan.num_user_turns,
        plan.num_tool_calls,
        plan.has_slot_correction,
    )


def read_conversation_plans(rows: Iterable[Mapping[str, Any]]) -> Iterator[ConversationPlan]:
    """Read back the plans, in order. Plans of one template share their steps."""
    shared: dict[str, tuple[PlanStep, ...]] = {}
    for row in rows:
        steps = shared.get(row["template_id"])
        if steps is None:
            steps = shared[row["template_id"]] = tuple(_read_step(each) for each in row["steps"])
        yield ConversationPlan(
            task_id=row["task_id"],
            template_id=row["template_id"],
            turn_policy=row["turn_policy"],
            steps=steps,
            confirmed_call_turns=tuple(row["confirmed_call_turns"]),
            num_user_turns=row["num_user_turns"],
            num_tool_calls=row["num_tool_calls"],
            has_slot_correction=row["has_slot_correction"],
        )


def _read_step(step: dict[str, Any]) -> PlanStep:
    return PlanStep(**{**step, "milestones": tuple(step["milestones"]), "tools": tuple(step["tools"])})
