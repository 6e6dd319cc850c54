"""Check T1: a tool call that never returns is ended at its deadline, together with its descendants.

The engine proves it on a shipped oracle, through the same path that pack code takes (ruling 39;
`reference/validation.md` 9.4). A failure says something about the machine, so it is never kept as final.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from assay.findings import Finding, finding
from assay.values import storable

if TYPE_CHECKING:
    from assay.oracle.engine import Engine
    from assay.oracle.evidence import Failure


_BY_STEP: Final = {
    "call_tool": ("hung_call_was_not_terminated", "was not ended"),
    "budget": ("timeout_overran_its_budget", "was ended too late"),
}
"""Step of the engine's probe -> code and words; any other step is one on the way there."""


def check_timeout(engine: Engine) -> tuple[Finding, ...]:
    """Let the engine end a call that hangs, and tell what went wrong with that, if anything."""
    failure = engine.kill_hung_call()
    return () if failure is None else (timeout_finding(failure),)


def timeout_finding(failure: Failure) -> Finding:
    """Return the finding about a probe of deadlines that did not go as it should."""
    code, what = _BY_STEP.get(failure.op, ("timeout_worker_failed", f"could not be probed ({failure.op})"))
    message = storable(f"A call that never returns {what}: {failure.message}.")
    return finding(code, message, detail={"failure": failure.to_json()})
