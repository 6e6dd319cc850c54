"""Assertion strength as the report tells it: killed of how many, per template and per assertion, and who survived."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from assay.stages.mutation import UNTOUCHED, describe_mutant

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from assay.stages.records import JudgedMutant


@dataclass(frozen=True, slots=True, kw_only=True)
class AssertionStrength:
    """How many mutants one assertion of a template refused, of those that it answered to."""

    assertion: str
    killed: int
    total: int

    def to_json(self) -> dict[str, Any]:
        """Return the counts as JSON."""
        return {"assertion": self.assertion, "killed": self.killed, "total": self.total}


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateStrength:
    """How many mutants of a template's evidence its assertions refused together.

    Attributes:
        task_id: the instance whose evidence was mutated.
        killed: mutants that at least one assertion refused.
        total: mutants made; `killed`, the survivors and `undecided` add up to it.
        undecided: mutants that nobody refused, but that an assertion gave no answer to (a deadline, a dead worker).
        assertions: in declared order.
        survivors: in words; those that changed what no call touched come last.
        overlooked: how many survivors come before those: facts of what the task did, at which nobody looks.
    """

    template_id: str
    task_id: str
    killed: int
    total: int
    undecided: int
    assertions: tuple[AssertionStrength, ...]
    survivors: tuple[str, ...]
    overlooked: int

    def to_json(self) -> dict[str, Any]:
        """Return the template as JSON."""
        return {
            "template_id": self.template_id,
            "task_id": self.task_id,
            "killed": self.killed,
            "total": self.total,
            "undecided": self.undecided,
            "assertions": [each.to_json() for each in self.assertions],
            "survivors": list(self.survivors),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Strength:
    """The section of the report. A run without mutants says so; it must not look like one in which all were killed.

    Attributes:
        measured: mutants were asked for.
        templates: in the order of the instances; those without a mutant, or whose evidence failed, are not there.
    """

    measured: bool = False
    templates: tuple[TemplateStrength, ...] = ()

    @property
    def killed(self) -> int:
        """Killed mutants of all templates."""
        return sum(each.killed for each in self.templates)

    @property
    def total(self) -> int:
        """Mutants of all templates."""
        return sum(each.total for each in self.templates)

    def to_json(self) -> dict[str, Any]:
        """Return the section as JSON."""
        return {
            "measured": self.measured,
            "killed": self.killed,
            "total": self.total,
            "templates": [each.to_json() for each in self.templates],
        }


def summarise_strength(mutants: Iterable[JudgedMutant], *, measured: bool) -> Strength:
    """Return what the judged mutants of a run amount to; those of one task stand together."""
    by_task = groupby(mutants, key=lambda each: each.task_id)
    return Strength(measured=measured, templates=tuple(_of_template(tuple(group)) for _, group in by_task))


def _of_template(mutants: Sequence[JudgedMutant]) -> TemplateStrength:
    survived = [each for each in mutants if each.status == "survived"]
    names = dict.fromkeys(outcome.assertion for each in mutants for outcome in each.outcomes)
    return TemplateStrength(
        template_id=mutants[0].template_id,
        task_id=mutants[0].task_id,
        killed=sum(each.status == "killed" for each in mutants),
        total=len(mutants),
        undecided=sum(each.status == "undecided" for each in mutants),
        assertions=tuple(_of_assertion(name, mutants) for name in names),
        survivors=tuple(describe_mutant(each.kind, each.call_index, each.tool, each.path) for each in survived),
        overlooked=sum(each.kind != UNTOUCHED for each in survived),
    )


def _of_assertion(name: str, mutants: Sequence[JudgedMutant]) -> AssertionStrength:
    answered = [each for each in mutants if any(one.assertion == name and one.answered for one in each.outcomes)]
    killed = sum(name in each.killed_by for each in answered)
    return AssertionStrength(assertion=name, killed=killed, total=len(answered))
