"""Writes an outcome of its own under the worker's token and ends its process."""

import os

import inside


def assert_record_reported(*, state, trace, task, ctx):
    inside.reply(b'{"status": "passed"}')
    os._exit(0)


ASSERTIONS = {"assert_record_reported": assert_record_reported}
ASSERTION_CAPABILITIES = {"assert_record_reported": {"trace": False, "executable": True, "category": "result"}}
