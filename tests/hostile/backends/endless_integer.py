"""Answers with an integer of more digits than Python reads."""

import desk

list_tools, reset, call_tool, get_state = desk.backend(answer=lambda result: {**result, "n": 10**5000})
