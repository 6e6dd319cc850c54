"""Answers with more than a reply may hold."""

import desk

list_tools, reset, call_tool, get_state = desk.backend(answer=lambda result: {**result, "text": "x" * 17 * 1024**2})
