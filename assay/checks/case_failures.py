"""The finding about a case, or a probe made from one, whose episode ended early."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from assay.findings import Finding, code_named
from assay.oracle.evidence import FailureKind
from assay.oracle.failures import failure_finding

if TYPE_CHECKING:
    from assay.findings import Check
    from assay.oracle.evidence import Failure
    from assay.pack.model import ValidationCase

RAISED: Final = "raised"


def case_failure(failure: Failure, case: ValidationCase, check: Check, about: str) -> Finding:
    """Tell how an episode ended in a case.

    An exception of pack code has the contract's code for probes, `raised`; every other end has its own. The place is
    the line of pack code involved, else the case.

    Args:
        failure: what came instead of an answer.
        case: the case under way.
        check: the check that ran it.
        about: what was being done, for the message: `Case find_works`.
    """
    told = failure_finding(failure, at=case.at.place(), check=check, case_id=case.id, tool=case.tool)
    told = replace(told, message=f"{about}: {told.message}")
    if failure.kind is not FailureKind.RAISED:
        return told
    return replace(told, code=RAISED, fix=code_named(RAISED).fix)
