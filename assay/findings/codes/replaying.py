"""Codes of replaying and comparing."""

from typing import Final

from assay.findings.finding import Check, Code, Severity

_CONTRACT = Check.REPRESENTATIVE_GENERATION_CONTRACT

CODES: Final[tuple[Code, ...]] = (
    Code(
        name="expected_call_failed",
        severity=Severity.WARNING,
        check=_CONTRACT,
        meaning="An expected call was answered with a structured error although the template is not a negative path.",
        why="The gold trajectory itself runs into an error; later failures of the task usually follow from it.",
        fix="Bind values for which the call works, or declare the template `negative_path`.",
    ),
    Code(
        name="template_mutation_not_observed",
        severity=Severity.ERROR,
        check=_CONTRACT,
        meaning="A template declares `mutates: true`, yet its replay leaves the state as it was after reset.",
        why="The task would count as a state-changing one without testing any change.",
        fix="Make the expected calls change the state, or drop `mutates`.",
    ),
    Code(
        name="negative_path_shows_no_rejection",
        severity=Severity.WARNING,
        check=_CONTRACT,
        meaning="No result of a negative-path task is an error, a pending answer or a field that something pins.",
        why="What is called a rejection looks like an ordinary success; nothing shows that the request was refused.",
        fix="Let the oracle answer with a structured error, or pin the rejecting field in an assertion or a probe.",
    ),
    Code(
        name="nondeterministic_replay",
        severity=Severity.ERROR,
        check=_CONTRACT,
        meaning="Two replays of one task under the same clock, seed, fixtures and arguments gave different evidence.",
        why="The gold results depend on something outside the contract, so a model is scored by chance.",
        fix="Derive every value from arguments, fixtures, ctx.clock and ctx.seed, and start from nothing in reset.",
    ),
)
