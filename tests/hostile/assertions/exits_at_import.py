"""Ends its process at import."""

import os

os._exit(0)


def assert_record_reported(*, state, trace, task, ctx):
    pass


ASSERTIONS = {"assert_record_reported": assert_record_reported}
ASSERTION_CAPABILITIES = {"assert_record_reported": {"trace": False, "executable": True, "category": "result"}}
