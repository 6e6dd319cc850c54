"""Faults of a planned conversation: one code, `invalid_conversation_plan`, with the kind of fault in its detail.

A fault often brings others along: a user turn that refers to nothing leaves a question unanswered, which leaves a call
unapproved. `link_consequences` marks those with their root, so that a report can tell the one thing to mend.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from assay.findings import Finding, finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from assay.findings import Place
    from assay.pack.model import Milestone, Template

CODE: Final = "invalid_conversation_plan"

_UNRESOLVED: Final = ("after_missing", "after_unresolved", "after_ambiguous")
_MISREAD: Final = ("unknown_milestone_type",)
_UNCLEAR_QUESTION: Final = ("ask_for_slot_without_a_named_slot", "unknown_slot", "slot_not_withheld")
_ROOTS: Final[Mapping[str, tuple[str, ...]]] = {
    "question_without_reply": _UNRESOLVED,
    "call_not_authorised": ("question_without_reply", *_UNRESOLVED, *_MISREAD),
    "correction_without_update": _UNRESOLVED,
    "no_call": _MISREAD,
    "single_call": _MISREAD,
    "wrong_closing": _MISREAD,
    "slot_never_asked": (*_UNCLEAR_QUESTION, *_MISREAD),
}


def plan_fault(template: Template, kind: str, message: str, at: Place, **concerns: Any) -> Finding:
    """Return a fault of a template's conversation.

    Args:
        template: the template.
        kind: the kind of fault, in snake case.
        message: one sentence.
        at: the place to mend.
        concerns: `fix`, `slot`, `tool`, as in `assay.findings.finding`.
    """
    field = "user_simulator_turns" if kind in _UNRESOLVED else "assistant_milestones"
    return finding(
        CODE, message, at=at, template_id=template.template_id, detail={"kind": kind, "field": field}, **concerns
    )


def kind_of(found: Finding) -> str | None:
    """Return the kind of a planning fault; None for other findings."""
    kind = (found.detail or {}).get("kind")
    return kind if found.code == CODE and isinstance(kind, str) else None


def link_consequences(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return a template's findings in the same order, consequences marked with the first that they can follow from."""
    first: dict[str, Finding] = {}
    linked = []
    for found in findings:
        kind = kind_of(found) or found.code
        roots = (first[root] for root in _ROOTS.get(kind, ()) if root in first)
        root = next(roots, None)
        told = found if root is None else found.following(root)
        first.setdefault(kind, told)
        linked.append(told)
    return tuple(linked)


def named(milestone: Milestone) -> str:
    """Name a milestone for people: its type, its number from 1, and its id if it has one."""
    identity = f" `{milestone.id}`" if milestone.id is not None else ""
    return f"`{milestone.type}`{identity} (milestone {milestone.index + 1})"
