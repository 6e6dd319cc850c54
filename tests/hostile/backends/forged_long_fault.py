"""Reports an exception with ten thousand frames, each of which would show a long line of the pack."""

import json

import desk
import inside


def forge():
    frame = [__file__, 12, 0, "f"]
    fault = {"kind": "raised", "type": "Forged", "text": "x", "frames": [frame] * 10_000}
    inside.reply(json.dumps(fault).encode(), kind=b"F")


list_tools, reset, call_tool, get_state = desk.backend(call=forge)
