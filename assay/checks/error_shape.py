"""Check D2: a structured error names its code, each time.

Read off the evidence of check 5 and of the second run that D1 makes anyway (ruling 37; `reference/validation.md` 9.3).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.findings import Finding, finding
from assay.stages.results import ResultClass, error_code
from assay.values import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from assay.checks.case_runs import CaseRun


def check_error_shape(
    runs: Sequence[CaseRun], repeated: Sequence[CaseRun], divergences: Sequence[Finding]
) -> tuple[Finding, ...]:
    """Look at every case that was answered with a structured error.

    Args:
        runs: the first attempts, in file order.
        repeated: the second attempts.
        divergences: findings of D1; an error that is gone when repeated follows from its case's.
    """
    again = {run.case.index: run for run in repeated}
    roots = {each.case_id: each for each in divergences}
    refused = (run for run in runs if run.observed is ResultClass.STRUCTURED_ERROR)
    return tuple(each for run in refused for each in _of_case(run, again.get(run.case.index), roots))


def _of_case(run: CaseRun, again: CaseRun | None, roots: Mapping[str | None, Finding]) -> Iterator[Finding]:
    code = error_code(run.result)
    if not isinstance(code, str) or not code:
        yield _told(
            run, "error_without_code", f"Case {run.case.id} is answered with an error whose code is {shown(code)}."
        )
    if again is not None and again.observed not in (None, ResultClass.STRUCTURED_ERROR):
        message = f"Case {run.case.id} is answered with an error once and with {shown(again.result)} when repeated."
        told = _told(run, "missing_error_object", message)
        yield told.following(roots[run.case.id]) if run.case.id in roots else told


def _told(run: CaseRun, code: str, message: str) -> Finding:
    error = run.result.get("error") if isinstance(run.result, dict) else None
    keys = sorted(error) if isinstance(error, dict) else []
    return finding(
        code,
        message,
        at=run.case.at.place(),
        case_id=run.case.id,
        tool=run.case.tool,
        detail={"error_keys": [shown(key) for key in keys]},
    )
