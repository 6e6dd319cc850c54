"""Bound instances and their plans."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from assay.artifacts import tables
from assay.artifacts.codec.rows import (
    PackIdentity,
    make_table,
)
from assay.stages.records import (
    ConversationPlan,
    PlanStep,
    SlotUpdate,
    TaskInstance,
)
from assay.values import canonical_json

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa


def task_instances_table(identity: PackIdentity, instances: Iterable[TaskInstance]) -> pa.Table:
    """One row per bound instance."""
    return make_table(tables.TASK_INSTANCES, (_instance_row(identity, each) for each in instances))


def _instance_row(identity: PackIdentity, task: TaskInstance) -> tuple[Any, ...]:
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


def read_task_instances(table: pa.Table) -> tuple[TaskInstance, ...]:
    """Read back the bound instances."""
    return tuple(_read_instance(row) for row in table.to_pylist())


def _read_instance(row: dict[str, Any]) -> TaskInstance:
    row.pop("pack_fingerprint")
    lists = ("required_tools", "tools_present", "success_assertions", "edge_signatures", "fixture_refs")
    row.update({name: tuple(row[name]) for name in lists})
    row.update({name: json.loads(row[name]) for name in ("slots", "slots_initial")})
    row["slot_updates"] = tuple(
        SlotUpdate(
            entry_index=each["entry_index"], values=json.loads(each["values"]), aliases=json.loads(each["aliases"])
        )
        for each in row["slot_updates"]
    )
    return TaskInstance(**row)


_STEP_FIELDS = tuple(PlanStep.__slots__)


def conversation_plans_table(identity: PackIdentity, plans: Iterable[ConversationPlan]) -> pa.Table:
    """One row per instance."""
    rows = (
        (
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
        for plan in plans
    )
    return make_table(tables.CONVERSATION_PLANS, rows)


def read_conversation_plans(table: pa.Table) -> tuple[ConversationPlan, ...]:
    """Read back the plans. Plans of one template share their steps."""
    shared: dict[str, tuple[PlanStep, ...]] = {}
    plans = []
    for row in table.to_pylist():
        steps = shared.get(row["template_id"])
        if steps is None:
            steps = shared[row["template_id"]] = tuple(_read_step(each) for each in row["steps"])
        plans.append(
            ConversationPlan(
                task_id=row["task_id"],
                template_id=row["template_id"],
                turn_policy=row["turn_policy"],
                steps=steps,
                confirmed_call_turns=tuple(row["confirmed_call_turns"]),
                num_user_turns=row["num_user_turns"],
                num_tool_calls=row["num_tool_calls"],
                has_slot_correction=row["has_slot_correction"],
            )
        )
    return tuple(plans)


def _read_step(step: dict[str, Any]) -> PlanStep:
    return PlanStep(**{**step, "milestones": tuple(step["milestones"]), "tools": tuple(step["tools"])})
