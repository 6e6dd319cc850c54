"""Prints ten megabytes on both streams, some of it dressed up as messages of ours, and answers."""

import sys

import desk


def talk():
    for _ in range(10):
        sys.stdout.write('{"status": "gold"}\n' * 27_000)
        sys.stderr.write("::error::\x1b[2J\x1b]0;title\x07" * 20_000)


list_tools, reset, call_tool, get_state = desk.backend(call=talk)
