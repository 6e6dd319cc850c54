"""Raises a SyntaxError that points to a line and a column beyond all numbers."""

import desk


def point():
    raise SyntaxError("look there", (__file__, 10**40, 10**40, "text"))


list_tools, reset, call_tool, get_state = desk.backend(call=point)
