"""Writes what is no outcome: a status of its own making, a detail of a megabyte."""

import json

import inside


def assert_record_reported(*, state, trace, task, ctx):
    inside.reply(json.dumps({"status": "golden", "detail": "x" * 1024**2}).encode())


ASSERTIONS = {"assert_record_reported": assert_record_reported}
ASSERTION_CAPABILITIES = {"assert_record_reported": {"trace": False, "executable": True, "category": "result"}}
