"""Is a generator, so that its body never runs."""


def assert_record_reported(*, state, trace, task, ctx):
    assert trace == "anything"
    yield


ASSERTIONS = {"assert_record_reported": assert_record_reported}
ASSERTION_CAPABILITIES = {"assert_record_reported": {"trace": False, "executable": True, "category": "result"}}
