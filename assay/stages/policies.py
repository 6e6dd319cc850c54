"""The nine turn policies, each held to its shape.

A policy is a claim about the conversation; a template that claims another shape than it has would be counted under a
skill that it does not test. All faults of a template are told, not only the first.

Shapes: the seed on task-template fields; `reference/bind-plan-render.md` 2.6 and 2.7. That a `dependent_call` reads an
earlier result is seen when its trace is derived, whether the call of a `negative_path` is refused when it is replayed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from assay.stages.plan_faults import named, plan_fault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from assay.findings import Finding
    from assay.pack.model import Milestone, Template
    from assay.stages.conversation import PlanShape


def check_policy(template: Template, shape: PlanShape) -> Iterator[Finding]:
    """Yield what a template's conversation lacks for its policy; an unknown policy has no shape to be held to."""
    check = _CHECKS.get(template.turn_policy)
    if check is None:
        return
    if template.turn_policy not in _WITHOUT_CALLS and not shape.num_tool_calls:
        message = f"The policy `{template.turn_policy}` needs a call, but no milestone is a `tool_call`."
        yield plan_fault(template, "no_call", message, template.at.place("turn_policy"))
    yield from check(template, shape)


def _irrelevant(template: Template, shape: PlanShape) -> Iterator[Finding]:
    yield from _calls_nothing(template, closing="decline")


def _clarify_only(template: Template, shape: PlanShape) -> Iterator[Finding]:
    yield from _calls_nothing(template, closing="ask_for_slot")


def _calls_nothing(template: Template, *, closing: str) -> Iterator[Finding]:
    for call in _calls(template):
        message = f"The policy `{template.turn_policy}` calls nothing, but {named(call)} calls `{call.tool}`."
        yield plan_fault(template, "call_planned", message, call.at.place(), tool=call.tool)
    last = template.milestones[-1]
    if last.type != closing:
        message = f"The policy `{template.turn_policy}` ends with `{closing}`, but the last milestone is {named(last)}."
        yield plan_fault(template, "wrong_closing", message, last.at.place())


def _single_turn(template: Template, shape: PlanShape) -> Iterator[Finding]:
    spoken = {step.entry_index for step in shape.steps if step.source == "simulator"}
    first = next((turn for turn in template.simulator_turns if turn.index in spoken), None)
    if first is not None:
        message = f"The policy `single_turn` has one user turn, but {shape.num_user_turns} are planned."
        yield plan_fault(template, "several_user_turns", message, first.at.place())


def _multi_tool(template: Template, shape: PlanShape) -> Iterator[Finding]:
    if shape.num_tool_calls == 1:
        message = "The policy `multi_tool` needs at least two calls, but a single call is planned."
        yield plan_fault(template, "single_call", message, template.at.place("turn_policy"))


def _confirmation(template: Template, shape: PlanShape) -> Iterator[Finding]:
    calls = _calls(template)
    if calls and not shape.confirmed_call_turns:
        message = (
            f"No call is authorised: {named(calls[0])} does not follow an `ask_confirm` that the user answers"
            " (an answer covers the next batch of calls; a correction or a question for a slot withdraws it)."
        )
        yield plan_fault(template, "call_not_authorised", message, calls[0].at.place(), tool=calls[0].tool)


def _correction(template: Template, shape: PlanShape) -> Iterator[Finding]:
    if not shape.has_slot_correction:
        message = "The policy `correction` needs a user turn with `slot_updates`, but none is spoken."
        yield plan_fault(template, "correction_without_update", message, template.at.place("turn_policy"))


def _negative_path(template: Template, shape: PlanShape) -> Iterator[Finding]:
    if not template.success_assertions:
        message = "The policy `negative_path` needs a success assertion that states the rejected behaviour."
        yield plan_fault(template, "negative_path_without_assertion", message, template.at.place("turn_policy"))


def _dependent_call(template: Template, shape: PlanShape) -> Iterator[Finding]:
    yield from ()


def _missing_slot(template: Template, shape: PlanShape) -> Iterator[Finding]:
    withheld = template.withheld
    if not withheld:
        message = "The policy `missing_slot` withholds a slot, but every slot is visible in the first turn."
        yield plan_fault(template, "no_withheld_slot", message, template.at.place("turn_policy"))
        return
    questions = [milestone for milestone in template.milestones if milestone.type == "ask_for_slot"]
    yield from _question_faults(template, questions)
    asked = {question.slot for question in questions}
    if None in asked and len(withheld) == 1:
        return
    for slot in withheld:
        if slot.name not in asked:
            message = f"The slot `{slot.name}` is withheld from the first turn, but no `ask_for_slot` asks for it."
            yield plan_fault(template, "slot_never_asked", message, slot.at.key_place(), slot=slot.name)


def _question_faults(template: Template, questions: list[Milestone]) -> Iterator[Finding]:
    """Yield what is wrong with the `ask_for_slot` milestones of a `missing_slot` template."""
    visible = {slot.name for slot in template.slots if slot.visible_in_first_turn}
    calls = _calls(template)
    for question in questions:
        slot = question.slot
        if slot in visible:
            message = f"{named(question)} asks for `{slot}`, which is not withheld: the first turn states it."
            yield plan_fault(template, "slot_not_withheld", message, question.at.place("slot"), slot=slot)
        if calls and question.index > calls[0].index:
            message = f"{named(question)} comes after the first call, which needs the value."
            yield plan_fault(template, "question_after_call", message, question.at.place(), slot=slot)
        if question is template.milestones[-1]:
            message = f"{named(question)} ends the conversation, so what it asks for is never said."
            yield plan_fault(template, "question_without_reply", message, question.at.place(), slot=slot)


def _calls(template: Template) -> list[Milestone]:
    return [milestone for milestone in template.milestones if milestone.type == "tool_call"]


_WITHOUT_CALLS: Final = ("irrelevant", "clarify_only")
_CHECKS: Final[Mapping[str, Callable[[Template, PlanShape], Iterator[Finding]]]] = {
    "single_turn": _single_turn,
    "multi_tool": _multi_tool,
    "missing_slot": _missing_slot,
    "confirmation": _confirmation,
    "correction": _correction,
    "dependent_call": _dependent_call,
    "negative_path": _negative_path,
    "clarify_only": _clarify_only,
    "irrelevant": _irrelevant,
}
