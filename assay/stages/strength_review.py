"""What the judged mutants say about the pack.

`StrengthReview` watches the stream of mutants go by and collects findings: a template whose assertions refuse none of
its mutants, and an assertion that gives no answer to wrong evidence at all (ruling 40: it would do the same to the
wrong answers of a model). A survivor beside killed mutants is no finding: many facts are rightly nobody's business.
Nor are survivors that changed what no call touched, when there are no others.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final

from assay.findings import finding
from assay.oracle.evidence import failure_from_json
from assay.oracle.failures import failure_finding
from assay.stages.assertion_review import import_failure_finding
from assay.stages.mutation import UNTOUCHED, describe_mutant
from assay.stages.tally import FindingTally
from assay.values import storable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from assay.findings import Finding, Place
    from assay.pack.model import Pack, Template
    from assay.stages.records import JudgedMutant, MutantOutcome

MOST_EXAMPLES: Final = 3


class StrengthReview:
    """Collects findings from judged mutants.

    Attributes:
        final: False as soon as an outcome rests on a deadline or a dead worker (ruling 40).
    """

    def __init__(self, pack: Pack) -> None:
        self.final = True
        self._pack = pack
        self._templates = {each.template_id: each for each in reversed(pack.templates)}
        self._tally = FindingTally()

    def watch(self, mutants: Iterable[JudgedMutant]) -> Iterator[JudgedMutant]:
        """Pass mutants through, looking at those of each task together; there are at most `MOST_MUTANTS` of them."""
        for _, group in groupby(mutants, key=lambda each: each.task_id):
            of_task = tuple(group)
            self._look_at(of_task)
            yield from of_task

    def findings(self) -> tuple[Finding, ...]:
        """Return what was found so far, in order of first occurrence."""
        return self._tally.findings()

    def _look_at(self, mutants: Sequence[JudgedMutant]) -> None:
        template = self._templates.get(mutants[0].template_id)
        if template is None:
            return
        for mutant in mutants:
            for outcome in mutant.outcomes:
                self._look_at_outcome(mutant, outcome, template)
        if all(each.status == "survived" for each in mutants):
            telling = [each for each in mutants if each.kind != UNTOUCHED]
            if telling:
                self._tally.add(_never_fail(telling, template))

    def _look_at_outcome(self, mutant: JudgedMutant, outcome: MutantOutcome, template: Template) -> None:
        if outcome.failure is None:
            return
        failure = failure_from_json(outcome.failure)
        self.final = self.final and not failure.is_transient
        if failure.op == "import":
            self._tally.add(import_failure_finding(self._pack, failure))
            return
        told = failure_finding(
            failure,
            at=_named_at(template, outcome.assertion),
            template_id=mutant.template_id,
            task_id=mutant.task_id,
            assertion=outcome.assertion,
        )
        self._tally.add(told)


def _named_at(template: Template, assertion: str) -> Place:
    """Return the template's entry that names an assertion."""
    return template.at.place("success_assertions", template.success_assertions.index(assertion))


def _never_fail(mutants: Sequence[JudgedMutant], template: Template) -> Finding:
    first = mutants[0]
    told = [describe_mutant(each.kind, each.call_index, each.tool, each.path) for each in mutants]
    what = "the one wrong replay" if len(told) == 1 else f"all {len(told)} wrong replays"
    more = f"; and {len(told) - MOST_EXAMPLES} more" if len(told) > MOST_EXAMPLES else ""
    return finding(
        "assertions_never_fail",
        storable(
            f"The assertions of {first.template_id} ({', '.join(dict.fromkeys(template.success_assertions))}) accept "
            f"{what} made from the right one: {'; '.join(told[:MOST_EXAMPLES])}{more}."
        ),
        at=template.at.place("success_assertions"),
        template_id=first.template_id,
        task_id=first.task_id,
        detail={"mutants": len(told), "survivors": [storable(each) for each in told]},
    )
