"""Codes of the report itself."""

from typing import Final

from assay.findings.finding import Check, Code, Severity

_CONTRACT = Check.REPRESENTATIVE_GENERATION_CONTRACT

CODES: Final[tuple[Code, ...]] = (
    Code(
        name="internal_error",
        severity=Severity.ERROR,
        check=None,
        meaning="A check of assay itself broke down on this pack.",
        why="What that check would have found is unknown, so the pack cannot be called Gold.",
        fix="Report it with the pack (or the smallest part of it that shows it); the detail holds the traceback.",
    ),
    Code(
        name="run_contract_failed",
        severity=Severity.ERROR,
        check=_CONTRACT,
        meaning="Something that holds for the whole run, and not for one template alone, is wrong.",
        why="Nothing could be generated from this pack under this run config.",
        fix="Mend the finding that this one follows from.",
    ),
    Code(
        name="representative_generation_failed",
        severity=Severity.ERROR,
        check=_CONTRACT,
        meaning="A template's representative could not be generated.",
        why="A template without one proven instance gives no benchmark row that can be trusted.",
        fix="Mend the finding that this one follows from.",
    ),
    Code(
        name="representative_trace_schema_mismatch",
        severity=Severity.ERROR,
        check=_CONTRACT,
        meaning="The expected calls of a template's representative do not fit the published tool schemas.",
        why="A model that obeys the schemas could never produce the gold calls.",
        fix="Mend the finding that this one follows from.",
    ),
    Code(
        name="representative_replay_failed",
        severity=Severity.ERROR,
        check=_CONTRACT,
        meaning="The expected calls of a template's representative did not replay to a passing verdict.",
        why="A gold row that its own oracle refuses measures nothing.",
        fix="Mend the finding that this one follows from.",
    ),
)
