"""Turns its standard output into the pipe of replies, and prints."""

import os

import desk
import inside


def duplicate():
    os.dup2(inside.channel()._replies, 1)
    os.write(1, b"printed into the channel" * 4)


list_tools, reset, call_tool, get_state = desk.backend(call=duplicate)
