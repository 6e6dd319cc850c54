"""What a validation case expects, held against what the oracle gave back.

The expectations are independent of one another; several may be missed at once. `null` in a field expects null or no
such field (`reference/validation.md` 6.4; rulings 3 and 35). `1` and `1.0` are one number, a boolean is none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.findings import Finding, finding
from assay.findings.spelling import did_you_mean
from assay.stages.results import EXPECTABLE, NAMED_EXPECTATIONS, error_code
from assay.values import same_value, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.pack.model import ValidationCase
    from assay.stages.results import ResultClass
    from assay.values import JsonObject


def unmet_expectations(
    case: ValidationCase, result: JsonObject, observed: ResultClass, *, state_changed: bool
) -> Iterator[Finding]:
    """Yield what a case expects and did not get, in the order of the contract."""
    yield from _result_class(case, result, observed)
    if "error_code" in case.expect and not same_value(case.expect["error_code"], error_code(result)):
        expected, got = case.expect["error_code"], error_code(result)
        yield _mismatch(case, "error_code_mismatch", "error_code", "error code", expected, got)
    if case.expect.get("state_unchanged") and state_changed:
        yield _told(case, "state_changed", "state_unchanged", f"Case {case.id} changed the state.")
    for name, expected in case.expect.items():
        if name not in NAMED_EXPECTATIONS and not same_value(expected, result.get(name)):
            yield _mismatch(case, "result_field_mismatch", name, f"`{name}`", expected, result.get(name), field=name)


def expectation_remarks(case: ValidationCase) -> Iterator[Finding]:
    """Yield what is wrong with the expectations as such, whatever the oracle does."""
    wanted = case.expect.get("result_class")
    if wanted is not None and wanted not in EXPECTABLE:
        hint = did_you_mean(wanted, EXPECTABLE) if isinstance(wanted, str) else ""
        known = ", ".join(EXPECTABLE)
        message = f"Case {case.id} expects the result class {shown(wanted)}; there are {known}.{hint}"
        yield _told(case, "unknown_result_class", "result_class", message)
    if case.expect.get("state_unchanged") is False:
        message = f"Case {case.id} says `state_unchanged: false`, which asserts nothing."
        yield _told(case, "expectation_without_effect", "state_unchanged", message)


def _result_class(case: ValidationCase, result: JsonObject, observed: ResultClass) -> Iterator[Finding]:
    wanted = case.expect.get("result_class")
    if wanted in EXPECTABLE and wanted != observed:
        yield _told(
            case,
            "result_class_mismatch",
            "result_class",
            f"Case {case.id} expects {wanted} from {case.tool} and got {observed}: {shown(result)}.",
            expected=str(wanted),
            got=str(observed),
        )


def _mismatch(case: ValidationCase, code: str, key: str, what: str, expected: Any, got: Any, **facts: str) -> Finding:
    message = f"Case {case.id} expects {what} {shown(expected)} from {case.tool} and got {shown(got)}."
    return _told(case, code, key, message, expected=shown(expected, 1000), got=shown(got, 1000), **facts)


def _told(case: ValidationCase, code: str, key: str, message: str, **facts: str) -> Finding:
    return finding(
        code,
        message,
        at=case.at.place("expect", key),
        case_id=case.id,
        tool=case.tool,
        detail=dict(facts) or None,
    )
