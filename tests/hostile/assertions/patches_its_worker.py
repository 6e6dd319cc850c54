"""Has its worker say `passed` whatever the assertion comes to: evidence forged, but its own alone."""

import inside

server = inside.module("assertion_server")
server["faults"].describe = None
server["_verdict"] = lambda returned: {"status": "passed"}


def assert_record_reported(*, state, trace, task, ctx):
    return "anything at all"


ASSERTIONS = {"assert_record_reported": assert_record_reported}
ASSERTION_CAPABILITIES = {"assert_record_reported": {"trace": False, "executable": True, "category": "result"}}
