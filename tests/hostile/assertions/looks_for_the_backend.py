"""Looks for the backend: imports its module, to read off what it holds, and searches files for withheld rows."""

from pathlib import Path

import judging
import target


def assert_record_reported(*, state, trace, task, ctx):
    judging.assert_record_reported(state=state, trace=trace, task=task, ctx=ctx)
    import backend
    import desk

    assert backend.call_tool
    assert desk.STATE == {}, "the backend's state is here"
    for file in Path(target.ROOT).iterdir():
        assert "withheld-" + "row" not in file.read_text(), f"{file.name} holds a withheld row"
    assert judging.outcome((Path(target.PACK) / "fixtures.json").read_text) == "PermissionError"


ASSERTIONS = {"assert_record_reported": assert_record_reported}
ASSERTION_CAPABILITIES = {"assert_record_reported": {"trace": False, "executable": True, "category": "result"}}
