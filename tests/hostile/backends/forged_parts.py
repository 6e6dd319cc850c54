"""Sends a reply of the greatest length, all of it empty lists."""

import desk
import inside


def forge():
    inside.reply(b"[" + b"[]," * 5_500_000 + b"[]]")


list_tools, reset, call_tool, get_state = desk.backend(call=forge)
