"""Closes every descriptor there is."""

import os


def assert_record_reported(*, state, trace, task, ctx):
    os.closerange(0, 1024)


ASSERTIONS = {"assert_record_reported": assert_record_reported}
ASSERTION_CAPABILITIES = {"assert_record_reported": {"trace": False, "executable": True, "category": "result"}}
