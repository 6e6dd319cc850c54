"""Answers with an object that shows an empty face to those who measure it and is 900 deep to those who write it."""

import desk


class Shallow(dict):
    def values(self):
        return ()

    def __iter__(self):
        return iter(())


def deep(result):
    inner = {"end": True}
    for _ in range(900):
        inner = Shallow(inner=inner)
    return {**result, "deep": inner}


list_tools, reset, call_tool, get_state = desk.backend(answer=deep)
