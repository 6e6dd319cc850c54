"""Catches whatever is raised and goes on for ever."""

import time

import desk


def persist():
    while True:
        try:
            time.sleep(60)
        except BaseException:
            continue


list_tools, reset, call_tool, get_state = desk.backend(call=persist)
