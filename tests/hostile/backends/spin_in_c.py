"""Loops in C code, where no Python signal handler ever runs."""

import desk


def spin():
    sum(range(10**15))  # here


list_tools, reset, call_tool, get_state = desk.backend(call=spin)
