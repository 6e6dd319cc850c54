"""Answers with a million empty lists: a short text, and thirty times as much in memory."""

import desk

list_tools, reset, call_tool, get_state = desk.backend(answer=lambda result: {**result, "parts": [[]] * 1_000_000})
