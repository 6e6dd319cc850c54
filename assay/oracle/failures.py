"""From a failure of pack code to a finding about the pack (ruling 40)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from assay.findings import finding
from assay.oracle.evidence import FailureKind
from assay.oracle.operations import operation_title, sentence
from assay.values import storable

if TYPE_CHECKING:
    from assay.findings import Check, Finding, Place
    from assay.oracle.evidence import Failure

_CODES: Final = {
    FailureKind.RAISED: "executable_replay_failed",
    FailureKind.DIED: "worker_died",
    FailureKind.NOT_JSON: "non_json_result",
    FailureKind.TOO_LARGE: "result_too_large",
    FailureKind.BAD_REPLY: "bad_worker_reply",
}
_SAYS_WHERE: Final = (FailureKind.TIMEOUT, FailureKind.DIED, FailureKind.BAD_REPLY)
"""Their messages name the operation and what was called."""

_REFUSALS: Final = ("PermissionError:", "BlockingIOError:", "OSError:", "ConnectionError:", "ConnectionRefusedError:")
_CONFINED: Final = (
    "Pack code runs confined: it may read the pack and installed modules, write to its temporary folder, and has no "
    "network and no processes of its own; bring what it needs into the pack."
)


def failure_finding(
    failure: Failure, *, at: Place | None = None, check: Check | None = None, **concerns: Any
) -> Finding:
    """Return the finding that a failure amounts to.

    Args:
        failure: what came instead of an answer.
        at: the place to name when the failure itself knows none.
        check: the whole-pack check that it counts against; check 7 when omitted.
        concerns: the ids that it concerns, as in `assay.findings.finding`.
    """
    told = failure.message if failure.kind in _SAYS_WHERE else f"{_what(failure, concerns)} failed: {failure.message}"
    return finding(
        code_of(failure),
        storable(sentence(told)),
        at=failure.place or at,
        fix=_fix(failure),
        check=check,
        detail=failure.to_json(),
        **concerns,
    )


def code_of(failure: Failure) -> str:
    """Return the code of a failure: the deadline that fired, or what happened to the worker or its answer."""
    return f"{failure.limit}_timeout" if failure.kind is FailureKind.TIMEOUT else _CODES[failure.kind]


def _what(failure: Failure, concerns: dict[str, Any]) -> str:
    subject = {"call_tool": concerns.get("tool"), "assertion": concerns.get("assertion")}.get(failure.op)
    return operation_title(failure.op, subject)


def _fix(failure: Failure) -> str | None:
    """Say that workers are confined where an exception looks like the confinement; else leave it to the code."""
    refused = failure.kind is FailureKind.RAISED and failure.message.startswith(_REFUSALS)
    return _CONFINED if refused else None
