"""Answers with an object that has other items each time somebody looks."""

import itertools

import desk

TIMES = itertools.count()


class Shifting(dict):
    def items(self):
        return [("look", next(TIMES))]


list_tools, reset, call_tool, get_state = desk.backend(answer=lambda result: {**result, "inner": Shifting(look=0)})
