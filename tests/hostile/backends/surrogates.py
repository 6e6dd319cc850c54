"""Answers with half a character."""

import desk

list_tools, reset, call_tool, get_state = desk.backend(answer=lambda result: {**result, "text": "\ud800"})
