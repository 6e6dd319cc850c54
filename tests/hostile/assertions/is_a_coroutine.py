"""Is a coroutine, so that its body never runs."""


async def assert_record_reported(*, state, trace, task, ctx):
    assert trace == "anything"


ASSERTIONS = {"assert_record_reported": assert_record_reported}
ASSERTION_CAPABILITIES = {"assert_record_reported": {"trace": False, "executable": True, "category": "result"}}
