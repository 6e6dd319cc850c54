"""Never comes to a verdict."""


def assert_record_reported(*, state, trace, task, ctx):
    sum(range(10**15))  # here


ASSERTIONS = {"assert_record_reported": assert_record_reported}
ASSERTION_CAPABILITIES = {"assert_record_reported": {"trace": False, "executable": True, "category": "result"}}
