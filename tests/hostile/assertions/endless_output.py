"""Prints for ever."""

import sys


def assert_record_reported(*, state, trace, task, ctx):
    while True:
        sys.stdout.write("passed " * 1000)  # here


ASSERTIONS = {"assert_record_reported": assert_record_reported}
ASSERTION_CAPABILITIES = {"assert_record_reported": {"trace": False, "executable": True, "category": "result"}}
