"""Answers with six hundred thousand numbers: a short text, and many objects in whoever reads it."""

import desk

list_tools, reset, call_tool, get_state = desk.backend(answer=lambda result: {**result, "parts": [1] * 600_000})
