"""Reports an exception in a file outside the pack, at a line beyond all numbers, so that its text is shown."""

import json

import desk
import inside
import target


def forge():
    place = f"{target.ROOT}/../../../../../../../../../../..{target.SECRET_FILE}"
    frames = [[place, 1, 0, "f"], [place, 10**40, 10**40, "f"]]
    fault = {"kind": "raised", "type": "Forged", "text": "x", "frames": frames}
    inside.reply(json.dumps(fault).encode(), kind=b"F")


list_tools, reset, call_tool, get_state = desk.backend(call=forge)
