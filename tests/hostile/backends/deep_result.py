"""Answers with a list of lists, a hundred thousand deep."""

import desk


def deep(result):
    inner = []
    for _ in range(100_000):
        inner = [inner]
    return {**result, "deep": inner}


list_tools, reset, call_tool, get_state = desk.backend(answer=deep)
