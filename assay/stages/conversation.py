"""From milestones and simulator turns to an ordered conversation.

The opening user turn comes first. Milestones follow in order: a text is one assistant turn, consecutive calls of one
`call_group` are one, any other call is one of its own. After each assistant turn come the user turns that refer to it.

A user turn says after which milestone it comes by that milestone's `id`, by `<type>@<index>` where it has none, or by
its bare type where the template has one milestone of that type. At one assistant turn those that name a milestone come
first, then those that name its type, each in declaration order; a turn is spoken once, at the first milestone it fits.

Rules: the seed on task-template fields; `reference/bind-plan-render.md` 2.2 to 2.5 and 2.8.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from assay.stages.records import PlanStep

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from assay.pack.model import Milestone, SimulatorTurn, Template

Unit: TypeAlias = "tuple[Milestone, ...]"
"""The milestones of one assistant turn: one text, or a batch of calls."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One assistant turn and the user turns that follow it."""

    unit: Unit
    replies: tuple[SimulatorTurn, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanShape:
    """The planned turns of a template; every instance of it has the same."""

    steps: tuple[PlanStep, ...]
    confirmed_call_turns: tuple[int, ...]

    @property
    def num_user_turns(self) -> int:
        """How often the user speaks."""
        return sum(step.kind == "user" for step in self.steps)

    @property
    def num_tool_calls(self) -> int:
        """How many calls are made."""
        return sum(len(step.milestones) for step in self.steps if step.kind == "calls")

    @property
    def has_slot_correction(self) -> bool:
        """Whether a user turn replaces a slot's value."""
        return any(step.update_index is not None for step in self.steps)


def units_of(template: Template) -> tuple[Unit, ...]:
    """Return the assistant turns of a template."""
    units: list[list[Milestone]] = []
    for milestone in template.milestones:
        if units and _belongs_to(milestone, units[-1][-1]):
            units[-1].append(milestone)
        else:
            units.append([milestone])
    return tuple(map(tuple, units))


def _belongs_to(milestone: Milestone, before: Milestone) -> bool:
    """Say whether a call is issued together with the milestone right before it."""
    both_calls = milestone.type == before.type == "tool_call"
    return both_calls and milestone.call_group is not None and milestone.call_group == before.call_group


def exchanges_of(template: Template) -> tuple[Exchange, ...]:
    """Return the assistant turns of a template, each with the user turns that it releases."""
    times = Counter(milestone.type for milestone in template.milestones)
    waiting: dict[str | None, list[SimulatorTurn]] = {}
    for turn in template.simulator_turns:
        waiting.setdefault(turn.after, []).append(turn)
    exchanges = []
    for unit in units_of(template):
        names = [milestone.key for milestone in unit]
        if times[unit[0].type] == 1:
            names.append(unit[0].type)
        replies = [turn for name in names for turn in waiting.pop(name, ())]
        exchanges.append(Exchange(unit=unit, replies=tuple(replies)))
    return tuple(exchanges)


def delivery_order(template: Template) -> dict[int, int]:
    """Return entry index -> rank for every simulator turn that the conversation delivers."""
    delivered = (turn.index for exchange in exchanges_of(template) for turn in exchange.replies)
    return {index: rank for rank, index in enumerate(delivered)}


def shape_of(exchanges: Iterable[Exchange]) -> PlanShape:
    """Return the turns of a conversation in order."""
    steps = [PlanStep(kind="user", source="first_turn")]
    call_group = 0
    for turn_index, exchange in enumerate(exchanges):
        steps.append(_assistant_step(exchange.unit, turn_index, call_group))
        call_group += steps[-1].kind == "calls"
        steps.extend(map(_user_step, exchange.replies))
    return PlanShape(steps=tuple(steps), confirmed_call_turns=confirmed_call_turns(steps))


def _assistant_step(unit: Unit, turn_index: int, call_group: int) -> PlanStep:
    indices = tuple(milestone.index for milestone in unit)
    if unit[0].type != "tool_call":
        return PlanStep(kind="text", milestone_type=unit[0].type, milestones=indices, turn_index=turn_index)
    tools = tuple(milestone.tool or "" for milestone in unit)
    return PlanStep(kind="calls", milestones=indices, call_group=call_group, turn_index=turn_index, tools=tools)


def _user_step(turn: SimulatorTurn) -> PlanStep:
    update_index = turn.index if turn.slot_updates else None
    return PlanStep(kind="user", source="simulator", entry_index=turn.index, update_index=update_index)


def confirmed_call_turns(steps: Sequence[PlanStep]) -> tuple[int, ...]:
    """Return the assistant turns whose calls the user has approved.

    A plain reply to `ask_confirm` approves the next batch of calls and no further one. A question for a slot or a
    correction withdraws the approval; another text in between does not, but a reply to that text approves nothing.
    """
    confirmed = awaiting = False
    turns: list[int] = []
    for step in steps:
        if step.kind == "user":
            confirmed = step.update_index is None and (confirmed or awaiting)
            awaiting = False
        elif step.kind == "calls":
            if confirmed and step.turn_index is not None:
                turns.append(step.turn_index)
            confirmed = awaiting = False
        else:
            confirmed = confirmed and step.milestone_type != "ask_for_slot"
            awaiting = step.milestone_type == "ask_confirm"
    return tuple(turns)
