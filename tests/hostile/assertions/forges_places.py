"""Writes a failure that stands in a file outside the pack, at a line beyond all numbers."""

import json

import inside
import target


def assert_record_reported(*, state, trace, task, ctx):
    place = f"{target.ROOT}/../../../../../../../../../../..{target.SECRET_FILE}"
    fault = {"kind": "raised", "type": "Forged", "text": "x", "frames": [[place, 1, 0, "f"], [place, 10**40, 1, "f"]]}
    inside.reply(json.dumps({"status": "failed", "detail": "forged", "fault": fault}).encode())


ASSERTIONS = {"assert_record_reported": assert_record_reported}
ASSERTION_CAPABILITIES = {"assert_record_reported": {"trace": False, "executable": True, "category": "result"}}
