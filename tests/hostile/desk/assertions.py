"""Tries nothing."""

from judging import assert_record_reported

ASSERTIONS = {"assert_record_reported": assert_record_reported}
ASSERTION_CAPABILITIES = {"assert_record_reported": {"trace": False, "executable": True, "category": "result"}}
