"""What kind of answer a tool result is.

One classification for probes, replays and the negative-path rule: an object with an object under `error` is a
structured error; an object whose status field holds the pending status waits for confirmation; any other object is a
success. What is no object, and what carries an `error` that is no object, is none of them (`reference/validation.md`
6.3; rulings 30 and 35).
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from assay.pack.model import ConfirmationProtocol
    from assay.values import JsonValue


class ResultClass(StrEnum):
    """The kind of a result. Only the first three may be expected by a validation case."""

    SUCCESS = "success"
    AWAITING_CONFIRMATION = "awaiting_confirmation"
    STRUCTURED_ERROR = "structured_error"
    MALFORMED_ERROR = "malformed_error"
    NON_OBJECT = "non_object"


EXPECTABLE: Final = (ResultClass.SUCCESS, ResultClass.STRUCTURED_ERROR, ResultClass.AWAITING_CONFIRMATION)
"""What `expect.result_class` may say (ruling 35)."""

NAMED_EXPECTATIONS: Final = ("result_class", "error_code", "state_unchanged")
"""Keys of `expect` with a meaning of their own; every other key names a field of the result."""


def classify(result: JsonValue, protocol: ConfirmationProtocol) -> ResultClass:
    """Return the class of a result under the pack's confirmation protocol."""
    if not isinstance(result, dict):
        return ResultClass.NON_OBJECT
    if "error" in result:
        return ResultClass.STRUCTURED_ERROR if isinstance(result["error"], dict) else ResultClass.MALFORMED_ERROR
    if result.get(protocol.status_field) == protocol.pending_status:
        return ResultClass.AWAITING_CONFIRMATION
    return ResultClass.SUCCESS


def error_code(result: JsonValue) -> JsonValue:
    """Return `error.code` of a structured error, None for any other result."""
    error = result.get("error") if isinstance(result, dict) else None
    return error.get("code") if isinstance(error, dict) else None


def call_failed(result: JsonValue) -> bool:
    """Say whether a call was answered with anything but a success or a pending answer, whatever the protocol."""
    return not isinstance(result, dict) or "error" in result
