"""Raises an exception whose text is never finished."""

import time

import desk


class Endless(Exception):
    def __str__(self):
        time.sleep(60)
        return "done"


def fail():
    raise Endless


list_tools, reset, call_tool, get_state = desk.backend(call=fail)
