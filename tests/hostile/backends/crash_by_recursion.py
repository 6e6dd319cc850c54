"""Lifts the limit on recursion and recurses until its stack is used up."""

import sys

import desk


def down(rest):
    return [rest, *map(down, (rest,))]


def fall():
    sys.setrecursionlimit(10**9)
    down(0)


list_tools, reset, call_tool, get_state = desk.backend(call=fall)
