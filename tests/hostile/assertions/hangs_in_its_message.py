"""Fails with a message that never ends."""

import time


class Endless:
    def __str__(self):
        time.sleep(60)
        return "done"


def assert_record_reported(*, state, trace, task, ctx):
    raise AssertionError(Endless())


ASSERTIONS = {"assert_record_reported": assert_record_reported}
ASSERTION_CAPABILITIES = {"assert_record_reported": {"trace": False, "executable": True, "category": "result"}}
