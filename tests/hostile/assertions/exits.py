"""Ends its process while it judges."""

import os


def assert_record_reported(*, state, trace, task, ctx):
    os._exit(0)


ASSERTIONS = {"assert_record_reported": assert_record_reported}
ASSERTION_CAPABILITIES = {"assert_record_reported": {"trace": False, "executable": True, "category": "result"}}
