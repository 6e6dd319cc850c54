"""Serves an assertions module: what it exports, and what its assertions say about given evidence.

Every assertion gets its own copy of state, trace and task (ruling 32). Outcomes follow the seed's contract: None
passes, AssertionError fails, a mapping with the status `not_applicable` and a detail does not apply; anything else,
`SystemExit` included, is an infrastructure error. An assertion that raises leaves the worker in service.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from . import faults
from .context import RunContext
from .encoding import encode
from .exports import exported

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType
    from typing import Any

    from .channel import Channel


class AssertionServer:
    """Answers requests about one assertions module.

    Args:
        module: the imported module.
        channel: the channel, from which evidence is read as it comes.
        limit: the longest answer allowed, in bytes.
        signatures: the module that judges signatures, in a worker that inspects.
    """

    def __init__(self, module: ModuleType, channel: Channel, limit: int, signatures: ModuleType | None) -> None:
        self._module = module
        self._channel = channel
        self._limit = limit
        self._signatures = signatures

    def answers(self, op: str, *details: Any) -> Iterator[bytes]:
        """Serve one request; a judgement has one answer for each named assertion."""
        if op == "judge":
            evidence = self._channel.text()
            yield from self._judge(evidence, *details)
        else:
            yield self._exports()

    def _judge(self, evidence: str, facts: Mapping[str, Any], turn_index: int, names: list[str]) -> Iterator[bytes]:
        for name in names:
            yield encode(self._outcome(name, evidence, facts, turn_index), "outcome", self._limit)

    def _outcome(self, name: str, evidence: str, facts: Mapping[str, Any], turn_index: int) -> dict[str, Any]:
        try:
            assertion = exported(self._module).get(name)
            if assertion is None:
                return {"status": "infrastructure_error", "detail": f"the assertions module exports no {name}"}
            state, trace, task = json.loads(evidence)
            context = RunContext(facts, turn_index)
            return _verdict(assertion(state=state, trace=trace, task=task, ctx=context))
        except AssertionError as problem:
            return {"status": "failed", "detail": faults.text_of(problem), "fault": faults.describe(problem)}
        except BaseException as problem:
            detail = ": ".join(filter(None, (faults.class_name(problem), faults.text_of(problem))))
            return {"status": "infrastructure_error", "detail": detail, "fault": faults.describe(problem)}

    def _exports(self) -> bytes:
        signatures: Any = self._signatures
        found = {
            name: {"reason": signatures.refusal(assertion), "defined_at": signatures.defined_at(assertion)}
            for name, assertion in exported(self._module).items()
        }
        capabilities = hasattr(self._module, "ASSERTION_CAPABILITIES")
        return encode({"assertions": found, "has_capabilities": capabilities}, "exports", self._limit)


def _verdict(returned: Any) -> dict[str, Any]:
    """Judge what an assertion returned."""
    if returned is None:
        return {"status": "passed"}
    if isinstance(returned, Mapping) and returned.get("status") == "not_applicable":
        detail = returned.get("detail")
        if isinstance(detail, str) and detail.strip():
            return {"status": "not_applicable", "detail": str.__str__(detail)[: faults.MAX_TEXT]}
        return _broken_contract("a not_applicable without a detail")
    if isinstance(returned, (bool, int, float, str)):
        return _broken_contract(f"{returned!r}"[:200])
    return _broken_contract(f"a value of type {type(returned).__name__}")


def _broken_contract(returned: str) -> dict[str, Any]:
    rule = "an assertion returns None, raises AssertionError or returns a not_applicable with a detail"
    return {"status": "infrastructure_error", "detail": f"it returned {returned}; {rule}"}
