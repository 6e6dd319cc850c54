"""Answers with a generator that never ends."""

import itertools

import desk

list_tools, reset, call_tool, get_state = desk.backend(answer=lambda result: itertools.count())
