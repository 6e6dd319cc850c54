"""Answers with two keys that are one in JSON."""

import desk

list_tools, reset, call_tool, get_state = desk.backend(answer=lambda result: {**result, "1": "text", 1: "number"})
