"""Returns that it is true instead of asserting it."""


def assert_record_reported(*, state, trace, task, ctx):
    return True


ASSERTIONS = {"assert_record_reported": assert_record_reported}
ASSERTION_CAPABILITIES = {"assert_record_reported": {"trace": False, "executable": True, "category": "result"}}
