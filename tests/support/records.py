"""Stage records for tests, made from a loaded pack without the stages before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.stages.records import (
    ConversationPlan,
    ExpectedCall,
    ExpectedTrace,
    PlanStep,
    Replay,
    ReplayedCall,
    SchemaCheck,
    TaskInstance,
)
from assay.stages.results import call_failed

if TYPE_CHECKING:
    from assay.pack.model import Pack


def instance(pack: Pack, template_id: str, number: int = 0, *, seed: int = 7, **slots: Any) -> TaskInstance:
    """A bound instance of a template; `slots` are its final and initial values."""
    template = pack.template_named(template_id)
    assert template is not None
    return TaskInstance(
        task_id=f"{pack.manifest.pack_id}__{template_id}__{number:016x}",
        template_id=template_id,
        pack_id=pack.manifest.pack_id,
        pack_version=pack.manifest.version,
        intent=template.intent,
        category=template.category,
        difficulty=template.difficulty,
        turn_policy=template.turn_policy,
        call_order=template.call_order,
        call_order_prefix=template.call_order_prefix,
        variant_index=0,
        seed=seed,
        representative=number == 0,
        mutates=template.mutates,
        required_tools=template.required_tools,
        tools_present=template.tools_present,
        success_assertions=template.success_assertions,
        edge_signatures=template.edge_signatures,
        fixture_refs=(),
        slots=slots,
        slots_initial=slots,
        slot_updates=(),
    )


def trace(task: TaskInstance, *calls: tuple[str, dict[str, Any]], dropped: str | None = None) -> ExpectedTrace:
    """The calls of an instance, each a batch of its own from turn 0 on."""
    return ExpectedTrace(
        task_id=task.task_id,
        template_id=task.template_id,
        turn_policy=task.turn_policy,
        calls=tuple(
            ExpectedCall(
                turn_index=index,
                call_group=index,
                position_in_group=0,
                function_name=tool,
                arguments=arguments,
                milestone=index,
            )
            for index, (tool, arguments) in enumerate(calls)
        ),
        drop_reason=dropped,
    )


def plan(task: TaskInstance, calls: int = 1, *, confirmed: tuple[int, ...] = ()) -> ConversationPlan:
    """A plan with so many batches of one call, then a closing text."""
    steps = [PlanStep(kind="user", source="first_turn")]
    steps += [PlanStep(kind="calls", call_group=index, turn_index=index, tools=("t",)) for index in range(calls)]
    steps.append(PlanStep(kind="text", milestone_type="final_answer", turn_index=calls))
    return ConversationPlan(
        task_id=task.task_id,
        template_id=task.template_id,
        turn_policy=task.turn_policy,
        steps=tuple(steps),
        confirmed_call_turns=confirmed,
        num_user_turns=1,
        num_tool_calls=calls,
        has_slot_correction=False,
    )


def valid(task: TaskInstance) -> SchemaCheck:
    return SchemaCheck(task_id=task.task_id, template_id=task.template_id, reject_reason=None)


def replay(task: TaskInstance, *results: Any, attempt: int = 1, tool: str = "find_berth", **facts: Any) -> Replay:
    """A completed attempt with one call per result; the state is empty unless given."""
    return Replay(
        **{
            "task_id": task.task_id,
            "template_id": task.template_id,
            "attempt": attempt,
            "completed": True,
            "calls": tuple(
                ReplayedCall(
                    call_index=index, tool=tool, arguments=dict(task.slots), result=result, failed=call_failed(result)
                )
                for index, result in enumerate(results)
            ),
            "state_before": {},
            "state_after": {},
            **facts,
        }
    )
