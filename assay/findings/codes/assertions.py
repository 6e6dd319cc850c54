"""Codes of assertions: what the module exports, and what its predicates say about replays."""

from typing import Final

from assay.findings.finding import Check, Code, Severity

_IMPORTABLE = Check.ASSERTIONS_IMPORTABLE
_CONTRACT = Check.REPRESENTATIVE_GENERATION_CONTRACT

CODES: Final[tuple[Code, ...]] = (
    Code(
        name="assertions_import_failed",
        severity=Severity.ERROR,
        check=_IMPORTABLE,
        meaning="The assertions module cannot be imported in its worker.",
        why="Without it no task of the pack can be judged at all.",
        fix="Mend the syntax, the missing import or the module-level code at the line named.",
    ),
    Code(
        name="missing_assertion",
        severity=Severity.ERROR,
        check=_IMPORTABLE,
        meaning="A template names an assertion that the module does not export.",
        why="The task would have no definition of success under that name.",
        fix="Export the callable (in ASSERTIONS where the module has that mapping), or correct the name here.",
    ),
    Code(
        name="invalid_signature",
        severity=Severity.ERROR,
        check=_IMPORTABLE,
        meaning="An assertion cannot be called with exactly the keywords state, trace, task and ctx.",
        why="The call itself would fail, so the predicate would never look at the evidence.",
        fix="Write it as `def assert_name(*, state, trace, task, ctx) -> None`.",
    ),
    Code(
        name="invalid_assertion_capability",
        severity=Severity.ERROR,
        check=_IMPORTABLE,
        meaning="ASSERTION_CAPABILITIES is not the literal mapping that the contract asks for.",
        why="Scorers decide from it, without running the module, where a predicate may be used.",
        fix="Assign a literal mapping once: exported assertion name -> trace, executable (booleans), category.",
    ),
    Code(
        name="assertion_not_executable_compatible",
        severity=Severity.ERROR,
        check=_IMPORTABLE,
        meaning="A template names an assertion that declares `executable: false`.",
        why="Every task is proven by executable replay, where this predicate says it must not run.",
        fix="Name an assertion that may run on replays, or declare this one executable.",
    ),
    Code(
        name="assertion_failed",
        severity=Severity.ERROR,
        check=_CONTRACT,
        meaning="The expected calls were executed and an assertion says that the task was not achieved.",
        why="A model that does exactly what the benchmark expects would be scored as wrong.",
        fix="Read the replayed calls and the final state, then mend the template, the oracle or the predicate.",
    ),
    Code(
        name="assertion_not_applicable",
        severity=Severity.ERROR,
        check=_CONTRACT,
        meaning="An assertion that a template names says that it cannot judge the template's tasks.",
        why="Not applicable is not a pass: the task would have no working definition of success.",
        fix="Name an assertion that applies to these tasks, or widen this one.",
    ),
    Code(
        name="assertion_infrastructure_error",
        severity=Severity.ERROR,
        check=_CONTRACT,
        meaning="An assertion gave none of the three verdicts: it raised or returned something else.",
        why="Its verdict is unknown, which must never be taken for a pass or for a failure of the model.",
        fix="Return None, raise AssertionError, or return a not_applicable status with a detail text; nothing else.",
    ),
    Code(
        name="assertions_never_fail",
        severity=Severity.ERROR,
        check=_CONTRACT,
        meaning="The template's assertions accept every wrong replay that was made from the right one.",
        why="Whatever a model does, even nothing at all, would be scored as a success.",
        fix="Assert on what the task is about: the calls made, the fields of their results, the state they leave.",
    ),
)
