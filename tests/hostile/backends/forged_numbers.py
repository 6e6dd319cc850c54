"""Sends a reply with what JSON does not have."""

import desk
import inside


def forge():
    inside.reply(b'{"a": NaN, "b": -Infinity, "c": 1e999}')


list_tools, reset, call_tool, get_state = desk.backend(call=forge)
