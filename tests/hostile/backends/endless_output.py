"""Prints on both streams for ever."""

import sys

import desk


def talk():
    while True:
        sys.stdout.write("on and on " * 100)
        sys.stderr.write("and on " * 100)


list_tools, reset, call_tool, get_state = desk.backend(call=talk)
