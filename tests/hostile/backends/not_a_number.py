"""Answers with NaN, deep inside."""

import desk

list_tools, reset, call_tool, get_state = desk.backend(answer=lambda result: {**result, "n": [{"x": float("nan")}]})
