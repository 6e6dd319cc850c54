"""What the outcomes of assertions say about the pack.

`AssertionReview` watches the stream of outcomes go by and collects findings: an assertion that failed, that did not
apply, or that broke down (ruling 31; the seed on assertions). When an expected call of the same template had already
failed, a failed assertion is a consequence of that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.findings import Finding, Place, finding
from assay.oracle.evidence import FailureKind, failure_from_json
from assay.oracle.failures import failure_finding
from assay.stages.tally import FindingTally
from assay.values import storable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from assay.oracle.evidence import Failure
    from assay.pack.model import Pack, Template
    from assay.stages.records import AssertionOutcome

_FAILED_CALLS = ("expected_call_failed", "malformed_error", "non_object_result")
_MOST_DETAIL = 300


class AssertionReview:
    """Collects findings from assertion outcomes.

    Attributes:
        final: False as soon as an outcome rests on a deadline or a dead worker (ruling 40).
    """

    def __init__(self, pack: Pack, earlier: Iterable[Finding] = ()) -> None:
        """Take the pack and the findings of the replay stage."""
        self.final = True
        self._pack = pack
        self._templates = {each.template_id: each for each in reversed(pack.templates)}
        self._tally = FindingTally()
        self._failed_calls = {each.template_id: each for each in reversed(_failed_calls(earlier))}
        self._named: dict[str, dict[str, int]] = {}

    def watch(self, outcomes: Iterable[AssertionOutcome]) -> Iterator[AssertionOutcome]:
        """Pass outcomes through, looking at each."""
        for outcome in outcomes:
            self._look_at(outcome)
            yield outcome

    def findings(self) -> tuple[Finding, ...]:
        """Return what was found so far, in order of first occurrence."""
        return self._tally.findings()

    def _look_at(self, outcome: AssertionOutcome) -> None:
        template = self._templates.get(outcome.template_id)
        if template is None or outcome.status == "passed":
            return
        failure = None if outcome.failure is None else failure_from_json(outcome.failure)
        if failure is not None and failure.op == "import":
            self._add_import_failure(failure)
        elif failure is not None and failure.kind is not FailureKind.RAISED:
            self._add_failure(outcome, template, failure)
        else:
            self._add_verdict(outcome, template)

    def _add_import_failure(self, failure: Failure) -> None:
        """An unimportable module is one fault, told by check 4 in the same words; it concerns no template."""
        self.final = self.final and not failure.is_transient
        self._tally.add(import_failure_finding(self._pack, failure))

    def _add_failure(self, outcome: AssertionOutcome, template: Template, failure: Failure) -> None:
        self.final = self.final and not failure.is_transient
        told = failure_finding(
            failure,
            at=self._place(outcome, template),
            template_id=template.template_id,
            task_id=outcome.task_id,
            assertion=outcome.assertion,
        )
        self._tally.add(told)

    def _add_verdict(self, outcome: AssertionOutcome, template: Template) -> None:
        about = f"Assertion {outcome.assertion} on {template.template_id} (task {outcome.task_id})"
        said = (outcome.detail or "it gives no reason")[:_MOST_DETAIL]
        code, message = {
            "failed": ("assertion_failed", f"{about} failed: {said}"),
            "not_applicable": ("assertion_not_applicable", f"{about} says that it does not apply: {said}"),
        }.get(outcome.status, ("assertion_infrastructure_error", f"{about} gave no verdict: {said}"))
        told = finding(
            code,
            storable(message),
            at=self._place(outcome, template),
            template_id=template.template_id,
            task_id=outcome.task_id,
            assertion=outcome.assertion,
            detail={"attempt": outcome.attempt, **({"failure": outcome.failure} if outcome.failure else {})},
        )
        self._tally.add(told, root=self._failed_calls.get(template.template_id))

    def _place(self, outcome: AssertionOutcome, template: Template) -> Place:
        """Return the line that raised, else the template's entry that names the assertion."""
        if outcome.place is not None:
            return outcome.place
        if template.template_id not in self._named:
            entries = reversed([*enumerate(template.success_assertions)])
            self._named[template.template_id] = {name: index for index, name in entries}
        index = self._named[template.template_id].get(outcome.assertion)
        return template.at.place("success_assertions", *([] if index is None else [index]))


def import_failure_finding(pack: Pack, failure: Failure) -> Finding:
    """Return the finding about an assertions module that cannot be imported."""
    file = pack.paths.assertions or "assertions.py"
    return finding(
        "assertions_import_failed",
        storable(f"The assertions module {file} cannot be imported: {failure.message}."),
        at=failure.place or Place(file),
        detail={"failure": failure.to_json()},
    )


def _failed_calls(earlier: Iterable[Finding]) -> list[Finding]:
    return [each for each in earlier if each.code in _FAILED_CALLS and each.root is None]
