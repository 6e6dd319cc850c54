"""Raises what ends a program instead of what fails an assertion."""


def assert_record_reported(*, state, trace, task, ctx):
    raise SystemExit(0)  # here


ASSERTIONS = {"assert_record_reported": assert_record_reported}
ASSERTION_CAPABILITIES = {"assert_record_reported": {"trace": False, "executable": True, "category": "result"}}
