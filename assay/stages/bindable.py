"""One template made ready for drawing: its positions, and everything that is wrong with them.

Every slot and every replacement is looked at, of faulty templates too; only a template without an error of its own can
be drawn from.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.findings import Finding, finding
from assay.stages.combinations import Combinations, Position
from assay.stages.corrections import INVALID, check_corrections, corrections_of
from assay.values import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.pack.candidates import Pool
    from assay.pack.finder import CandidateFinder
    from assay.pack.model import SlotSource, Template
    from assay.stages.corrections import Correction
    from assay.stages.held_out import Reservations, Share
    from assay.values import JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class _Choice:
    """One position with where it came from."""

    source: SlotSource
    correction: Correction | None
    pool: Pool
    share: Share

    def position(self, *, unrestricted: bool = False) -> Position:
        return Position(
            slot=self.source.slot,
            entry_index=None if self.correction is None else self.correction.entry_index,
            alias=self.source.bind_as,
            candidates=self.pool.candidates if unrestricted else self.share.candidates,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Bindable:
    """A template, ready or not.

    Attributes:
        combinations: what can be drawn; None when the template is not sound.
        unrestricted: what could be drawn without reservations; None when the template is not sound.
        findings: of its slots and corrections.
        attempts: rows that its fixture sources matched, reserved ones included.
        blocked: references of reserved rows among them.
        lost: those whose reservation leaves less to bind.
    """

    template: Template
    combinations: Combinations | None
    unrestricted: Combinations | None
    findings: tuple[Finding, ...]
    attempts: int
    blocked: frozenset[str]
    lost: frozenset[str]


def make_bindable(template: Template, finder: CandidateFinder, reservations: Reservations, seed: int) -> Bindable:
    """Evaluate a template's slots and corrections.

    Args:
        template: any template, faulty ones included.
        finder: of the pack.
        reservations: rows that may not be bound.
        seed: the run's global seed.
    """
    choices = tuple(_choices(template, finder, reservations))
    findings = [*check_corrections(template)]
    for choice in choices:
        findings += [*choice.pool.findings, *_reserved(template, choice)]
    lost = frozenset(ref for choice in choices for ref in choice.share.lost)
    combinations = unrestricted = None
    if not template.faulty and not any(each.is_error for each in findings) and all(map(_is_open, choices)):
        combinations = _combine(template, choices, seed)
        unrestricted = _combine(template, choices, seed, unrestricted=True) if lost else combinations
        if not combinations.count(1):
            blamed = lost if unrestricted.count(1) else frozenset()
            findings.append(_changes_nothing(template, choices, blamed))
            combinations = unrestricted = None
    return Bindable(
        template=template,
        combinations=combinations,
        unrestricted=unrestricted,
        findings=tuple(findings),
        attempts=sum(len(choice.pool.matched) for choice in choices if choice.pool.collection is not None),
        blocked=frozenset(ref for choice in choices for ref in choice.share.blocked),
        lost=lost,
    )


def _combine(
    template: Template, choices: tuple[_Choice, ...], seed: int, *, unrestricted: bool = False
) -> Combinations:
    positions = [choice.position(unrestricted=unrestricted) for choice in choices]
    return Combinations(positions, template_id=template.template_id, seed=seed)


def _choices(template: Template, finder: CandidateFinder, reservations: Reservations) -> Iterator[_Choice]:
    """Yield a template's positions in the contract's order: slots by name, then replacements as delivered."""
    template_id = template.template_id
    for slot in sorted(template.slots, key=lambda slot: slot.name):
        pool = finder.find(slot.source, template_id=template_id)
        share = reservations.share_of(pool, slot.name)
        yield _Choice(source=slot.source, correction=None, pool=pool, share=share)
    for correction in corrections_of(template):
        source = correction.update
        pool = finder.find(source, template_id=template_id, replacement=True)
        share = reservations.share_of(pool, source.slot)
        yield _Choice(source=source, correction=correction, pool=pool, share=share)


def _is_open(choice: _Choice) -> bool:
    return choice.pool.usable and len(choice.share.candidates) > 0


def _reserved(template: Template, choice: _Choice) -> Iterator[Finding]:
    """Report a source that spells out reserved ids, and one to which reservations leave nothing."""
    source, share = choice.source, choice.share
    if share.named:
        told = ", ".join(shown(value, 40) for value in share.named[:5])
        yield finding(
            "held_out_value_in_source",
            f"The source of `{source.slot}` spells out {told}, which the held-out policy reserves; it is not bound.",
            at=source.at.place("source"),
            template_id=template.template_id,
            slot=source.slot,
            detail={"fixture_refs": list(share.blocked)},
        )
    if choice.pool.usable and not share.candidates:
        yield finding(
            "held_out_binding_starved",
            f"Everything that `{source.slot}` could be bound to is reserved: {', '.join(share.blocked[:5])}.",
            at=source.at.place("source"),
            template_id=template.template_id,
            slot=source.slot,
            detail={"kind": "no_candidate_left", "causes": [f"fixture:{ref}" for ref in share.blocked]},
        )


def _changes_nothing(template: Template, choices: tuple[_Choice, ...], blamed: frozenset[str]) -> Finding:
    """Report corrections none of which can change a value. `blamed`: reservations without which one could."""
    source = next(choice.source for choice in choices if choice.correction is not None)
    code, message = INVALID, f"Nothing that replaces `{source.slot}` differs from the value that it replaces."
    detail: JsonObject | None = None
    if blamed:
        code, message = "held_out_binding_starved", f"Reservations leave `{source.slot}` no replacement that differs."
        detail = {"kind": "no_replacement_left", "causes": [f"fixture:{ref}" for ref in sorted(blamed)]}
    return finding(
        code,
        message,
        at=source.at.place("source"),
        template_id=template.template_id,
        slot=source.slot,
        detail=detail,
    )
