"""Sends a reply that is deeper than any reader of ours could go."""

import desk
import inside


def forge():
    inside.reply(b'{"a":' * 900 + b"1" + b"}" * 900)


list_tools, reset, call_tool, get_state = desk.backend(call=forge)
