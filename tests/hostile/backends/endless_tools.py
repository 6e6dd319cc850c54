"""Lists tools without end."""

import itertools

import desk

_, reset, call_tool, get_state = desk.backend()


def list_tools():
    return (f"tool_{number}" for number in itertools.count())
