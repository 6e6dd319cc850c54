"""Comes with byte code that says something else than the source beside it."""

import desk
import helper

list_tools, reset, call_tool, get_state = desk.backend(call=lambda: helper.SAYS)
