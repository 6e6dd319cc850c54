"""Planning: each template's conversation, once, and each instance's plan from it.

A plan depends on the template alone, so faults are told once per template however many instances it has. Every template
is planned, reserved and faulty ones too; instances get a plan when their template's conversation is without error.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Final

from assay.findings import Finding, Severity, finding
from assay.findings.spelling import did_you_mean
from assay.pack.model import MILESTONE_TYPES
from assay.stages.authority import unauthorised_mutations
from assay.stages.conversation import delivery_order, exchanges_of, shape_of
from assay.stages.plan_faults import link_consequences, named, plan_fault
from assay.stages.policies import check_policy
from assay.stages.records import ConversationPlan

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from assay.findings import Place
    from assay.pack.model import Milestone, Pack, SimulatorTurn, Template
    from assay.stages.conversation import Exchange, PlanShape
    from assay.stages.records import TaskInstance

_ANSWERED: Final = ("ask_confirm", "ask_for_slot")
_MAX_NAMED: Final = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanResult:
    """What planning leaves.

    Attributes:
        plans: in the order of the instances; those of templates with a planning error are left out.
        shapes: template id -> its conversation, also where it has errors.
        findings: in the order of the templates.
    """

    plans: tuple[ConversationPlan, ...]
    shapes: Mapping[str, PlanShape]
    findings: tuple[Finding, ...]


def plan_pack(pack: Pack, instances: Iterable[TaskInstance]) -> PlanResult:
    """Plan every template of a pack and every given instance, and hold all that comes of it."""
    planning = Planning(pack)
    return PlanResult(plans=tuple(planning.plans(instances)), shapes=planning.shapes, findings=planning.findings)


class Planning:
    """Plans the templates of a pack; instances are planned as they come.

    Attributes:
        shapes: template id -> its conversation, also where it has errors.
        findings: in the order of the templates; instances add none.
    """

    def __init__(self, pack: Pack) -> None:
        shapes: dict[str, PlanShape] = {}
        findings: list[Finding] = []
        self._broken: set[str] = set()
        for template in pack.templates:
            shape, found = plan_template(template)
            findings.extend(found)
            if shape is not None:
                shapes.setdefault(template.template_id, shape)
            root = next((each for each in found if each.is_error), None)
            if root is not None:
                self._broken.add(template.template_id)
                findings.extend(() if shape is None else unauthorised_mutations(pack, template, shape, root))
        self.shapes: Mapping[str, PlanShape] = shapes
        self.findings = tuple(findings)

    def plans(self, instances: Iterable[TaskInstance]) -> Iterator[ConversationPlan]:
        """Yield the plans of instances in their order; those of templates with a planning error are left out."""
        for instance in instances:
            shape = self.shapes.get(instance.template_id)
            if shape is not None and instance.template_id not in self._broken:
                yield plan_instance(instance, shape)


def plan_instance(instance: TaskInstance, shape: PlanShape) -> ConversationPlan:
    """Return the plan of an instance of a template with that shape."""
    return ConversationPlan(
        task_id=instance.task_id,
        template_id=instance.template_id,
        turn_policy=instance.turn_policy,
        steps=shape.steps,
        confirmed_call_turns=shape.confirmed_call_turns,
        num_user_turns=shape.num_user_turns,
        num_tool_calls=shape.num_tool_calls,
        has_slot_correction=shape.has_slot_correction,
    )


def plan_template(template: Template) -> tuple[PlanShape | None, tuple[Finding, ...]]:
    """Return a template's conversation and everything that is wrong with it; no conversation without milestones."""
    if not template.milestones:
        message = "The template has no assistant milestone; a conversation needs at least one."
        return None, (plan_fault(template, "no_milestones", message, template.at.place("assistant_milestones")),)
    exchanges = exchanges_of(template)
    shape = shape_of(exchanges)
    faults = chain(
        _type_faults(template),
        _group_faults(template, exchanges),
        _reference_faults(template),
        _unanswered(template, exchanges),
        _slot_question_faults(template),
        check_policy(template, shape),
        _open_end(template, exchanges[-1]),
    )
    return shape, link_consequences(faults)


def _type_faults(template: Template) -> Iterator[Finding]:
    """Report unknown milestone types; one that the file does not give as text is the loader's finding."""
    for milestone in template.milestones:
        if milestone.type and milestone.type not in MILESTONE_TYPES:
            known = ", ".join(f"`{name}`" for name in MILESTONE_TYPES)
            hint = did_you_mean(milestone.type, MILESTONE_TYPES)
            message = f"`{milestone.type}` is not a type of milestone; the types are {known}.{hint}"
            yield plan_fault(template, "unknown_milestone_type", message, milestone.at.place("type"))


def _group_faults(template: Template, exchanges: Iterable[Exchange]) -> Iterator[Finding]:
    """Report call groups that go on after something else came in between."""
    first: dict[int | str, Milestone] = {}
    for exchange in exchanges:
        start = exchange.unit[0]
        if start.type != "tool_call" or start.call_group is None:
            continue
        earlier = first.setdefault(start.call_group, start)
        if earlier is not start:
            group = f"call_group {start.call_group}"
            message = f"{group} is split: {named(start)} belongs to it, but other milestones stand before it."
            yield plan_fault(template, "call_group_split", message, start.at.place("call_group"), tool=start.tool)


def _reference_faults(template: Template) -> Iterator[Finding]:
    """Report user turns that no milestone releases, and those that more than one could."""
    delivered = delivery_order(template)
    meant: dict[str | None, list[Milestone]] = {}
    for milestone in template.milestones:
        for name in {milestone.key: None, milestone.type: None}:
            meant.setdefault(name, []).append(milestone)
    resolving = _references(template)
    for turn in template.simulator_turns:
        fits = meant.get(turn.after, [])
        if turn.index not in delivered:
            yield _undelivered(template, turn, fits, resolving)
        elif len(fits) > 1:
            told = " and ".join(named(milestone) for milestone in fits[:_MAX_NAMED])
            yield finding(
                "ambiguous_milestone_reference",
                f"`after: {turn.after}` could mean {told}; the first of them that fits exactly is taken.",
                at=turn.at.place("after"),
                template_id=template.template_id,
            )


def _undelivered(template: Template, turn: SimulatorTurn, fits: list[Milestone], resolving: list[str]) -> Finding:
    """Say why a user turn is never spoken.

    Args:
        template: the template.
        turn: the user turn.
        fits: the milestones that its `after` could mean to a reader.
        resolving: what it could say instead.
    """
    number = turn.index + 1
    if turn.after is None:
        message = f"User turn {number} does not say after which milestone it comes."
        return plan_fault(template, "after_missing", message, turn.at.place())
    if fits:
        keys = _listed(milestone.key for milestone in fits)
        message = f"`after: {turn.after}` of user turn {number} could mean any of {len(fits)} milestones: {keys}."
        return plan_fault(template, "after_ambiguous", message, turn.at.place("after"))
    message = f"`after: {turn.after}` of user turn {number} names no milestone; it could name {_listed(resolving)}."
    hint = did_you_mean(turn.after, resolving)
    return plan_fault(template, "after_unresolved", message + hint, turn.at.place("after"))


def _references(template: Template) -> list[str]:
    """Return what an `after` could name: the keys, and the types that occur once, of the first milestones."""
    times = Counter(milestone.type for milestone in template.milestones)
    names: dict[str, None] = {}
    for milestone in template.milestones[:_MAX_NAMED]:
        names[milestone.key] = None
        if times[milestone.type] == 1:
            names[milestone.type] = None
    return list(names)


def _listed(names: Iterable[str]) -> str:
    """Write names for people, so many and no more."""
    quoted = [f"`{name}`" for name in names]
    return ", ".join(quoted[:_MAX_NAMED]) + (", ..." if len(quoted) > _MAX_NAMED else "")


def _unanswered(template: Template, exchanges: tuple[Exchange, ...]) -> Iterator[Finding]:
    """Report questions that go unanswered; one that ends the conversation may."""
    for exchange in exchanges[:-1]:
        question = exchange.unit[0]
        if question.type in _ANSWERED and not exchange.replies:
            message = f"{named(question)} waits for an answer, but no entry of `user_simulator_turns` comes after it."
            fix = f"Add an entry with `after: {question.key}` to `user_simulator_turns`."
            yield plan_fault(template, "question_without_reply", message, question.at.place(), fix=fix)


def _slot_question_faults(template: Template) -> Iterator[Finding]:
    """Report questions that do not say which of several slots they ask for, or name one that does not exist."""
    names = {slot.name: None for slot in template.slots}
    withheld = [slot.name for slot in template.withheld]
    for milestone in template.milestones:
        if milestone.type != "ask_for_slot":
            continue
        if milestone.slot is None and len(withheld) > 1:
            yield finding(
                "ask_for_slot_without_a_named_slot",
                f"{named(milestone)} does not say which slot it asks for; withheld are {_listed(withheld)}.",
                at=milestone.at.place(),
                template_id=template.template_id,
            )
        elif milestone.slot is not None and milestone.slot not in names:
            severity = Severity.ERROR if template.turn_policy == "missing_slot" else Severity.WARNING
            message = f"{named(milestone)} asks for a slot `{milestone.slot}`, which the template does not declare."
            hint = did_you_mean(milestone.slot, names)
            yield plan_fault(template, "unknown_slot", message + hint, milestone.at.place("slot"), severity=severity)


def _open_end(template: Template, last: Exchange) -> Iterator[Finding]:
    """Report a conversation whose last turn is not the assistant's words (ruling 20)."""
    if last.replies:
        yield _not_closed(template, "a user turn that nobody answers", last.replies[-1].at.place())
    elif last.unit[0].type == "tool_call":
        yield _not_closed(template, "tool results that nobody reports", last.unit[-1].at.place())


def _not_closed(template: Template, end: str, at: Place) -> Finding:
    message = f"The conversation ends on {end}."
    return finding("conversation_not_closed", message, at=at, template_id=template.template_id)
