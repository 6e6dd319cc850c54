"""Recurses until its stack is used up."""

import sys


def down(rest):
    return [rest, *map(down, (rest,))]


def assert_record_reported(*, state, trace, task, ctx):
    sys.setrecursionlimit(10**9)
    down(0)


ASSERTIONS = {"assert_record_reported": assert_record_reported}
ASSERTION_CAPABILITIES = {"assert_record_reported": {"trace": False, "executable": True, "category": "result"}}
