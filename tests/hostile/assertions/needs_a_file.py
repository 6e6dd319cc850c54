"""Reads a file outside the pack and does not survive that it cannot."""

from pathlib import Path

import target


def assert_record_reported(*, state, trace, task, ctx):
    Path(target.SECRET_FILE).read_text()  # here


ASSERTIONS = {"assert_record_reported": assert_record_reported}
ASSERTION_CAPABILITIES = {"assert_record_reported": {"trace": False, "executable": True, "category": "result"}}
