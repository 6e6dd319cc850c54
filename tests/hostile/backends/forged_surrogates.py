"""Sends a reply with half a character, escaped so that it is valid UTF-8."""

import desk
import inside


def forge():
    inside.reply(rb'{"record_id": "\ud800", "\udfff": 1}')


list_tools, reset, call_tool, get_state = desk.backend(call=forge)
