"""Answers with a number too large for a float, written as a float."""

import desk

list_tools, reset, call_tool, get_state = desk.backend(answer=lambda result: {**result, "n": 1e308 * 10})
