"""Answers with an object of six hundred thousand keys, whose text would fit into one reply."""

import desk

KEYS = dict.fromkeys(map(str, range(600_000)))

list_tools, reset, call_tool, get_state = desk.backend(answer=lambda result: KEYS | result)
