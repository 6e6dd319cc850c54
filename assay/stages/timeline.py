"""Which values hold at each step of a conversation.

The opening turn and all that follows it see the initial values. A correcting turn changes them before it is spoken, so
its own text already has the new value; the alias under which it names that value holds in that one text
(`reference/bind-plan-render.md` 3.3, `reference/trace-replay.md` 2.1).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from assay.stages.records import ConversationPlan, PlanStep, TaskInstance
    from assay.values import JsonValue


class Moment(NamedTuple):
    """One step and what holds at it.

    Attributes:
        turn: 0-based position of the step.
        values: slot -> value in force.
        named: the same, with the aliases of a correcting turn: what the step's text may name.
    """

    turn: int
    step: PlanStep
    values: Mapping[str, JsonValue]
    named: Mapping[str, JsonValue]


def moments(instance: TaskInstance, plan: ConversationPlan) -> Iterator[Moment]:
    """Yield the steps of an instance's conversation with the values in force.

    Raises:
        LookupError: for a correcting turn of the plan that the instance binds no values for.
    """
    values: Mapping[str, JsonValue] = instance.slots_initial or instance.slots
    for turn, step in enumerate(plan.steps):
        named = values
        if step.update_index is not None:
            update = next((each for each in instance.slot_updates if each.entry_index == step.update_index), None)
            if update is None:
                raise LookupError(f"{instance.task_id} binds no values for correcting turn {step.update_index}")
            values = {**values, **update.values}
            named = {**values, **update.aliases}
        yield Moment(turn, step, values, named)
