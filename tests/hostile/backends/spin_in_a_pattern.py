"""Has a pattern backtrack for ages."""

import re

import desk


def match():
    re.match(r"(a|aa)+$", "a" * 10_000 + "b")  # here


list_tools, reset, call_tool, get_state = desk.backend(call=match)
