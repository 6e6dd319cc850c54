"""Answers with an integer that no float can hold; JSON can."""

import desk

list_tools, reset, call_tool, get_state = desk.backend(call=lambda: 10**400)
