from __future__ import annotations

import pytest

from assay.pack.model import ConfirmationProtocol
from assay.stages.results import ResultClass, call_failed, classify, error_code

PROTOCOL = ConfirmationProtocol()
OWN_WORDS = ConfirmationProtocol(parameter="sure", status_field="phase", pending_status="waiting")


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ({}, ResultClass.SUCCESS),
        ({"status": "booked"}, ResultClass.SUCCESS),
        ({"status": "awaiting_confirmation"}, ResultClass.AWAITING_CONFIRMATION),
        ({"phase": "waiting"}, ResultClass.SUCCESS),
        ({"error": {}}, ResultClass.STRUCTURED_ERROR),
        ({"error": {"code": "x"}, "status": "awaiting_confirmation"}, ResultClass.STRUCTURED_ERROR),
        ({"error": "text"}, ResultClass.MALFORMED_ERROR),
        ({"error": None}, ResultClass.MALFORMED_ERROR),
        ({"error": False}, ResultClass.MALFORMED_ERROR),
        (None, ResultClass.NON_OBJECT),
        ([], ResultClass.NON_OBJECT),
        ("awaiting_confirmation", ResultClass.NON_OBJECT),
        (True, ResultClass.NON_OBJECT),
    ],
)
def test_every_result_has_one_class(result, expected):
    assert classify(result, PROTOCOL) is expected


def test_the_protocol_of_the_manifest_decides_what_is_pending():
    assert classify({"phase": "waiting"}, OWN_WORDS) is ResultClass.AWAITING_CONFIRMATION
    assert classify({"status": "awaiting_confirmation"}, OWN_WORDS) is ResultClass.SUCCESS


@pytest.mark.parametrize(
    ("result", "code"),
    [({"error": {"code": "x"}}, "x"), ({"error": {}}, None), ({"error": "x"}, None), ({}, None), ("x", None)],
)
def test_error_code_is_that_of_a_structured_error(result, code):
    assert error_code(result) == code


@pytest.mark.parametrize(
    ("result", "failed"), [({}, False), ({"error": {}}, True), ({"error": 0}, True), ([], True), (None, True)]
)
def test_a_call_fails_with_an_error_or_without_an_object(result, failed):
    assert call_failed(result) is failed
