"""Passes under the conditions of the first attempt and fails under those of the second."""

import time

from judging import assert_record_reported as judge


def assert_record_reported(*, state, trace, task, ctx):
    judge(state=state, trace=trace, task=task, ctx=ctx)
    assert time.timezone > 0, "east of Greenwich"


ASSERTIONS = {"assert_record_reported": assert_record_reported}
ASSERTION_CAPABILITIES = {"assert_record_reported": {"trace": False, "executable": True, "category": "result"}}
