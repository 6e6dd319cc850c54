"""Looks for descriptors that it was given by mistake: files and sockets of ours."""

import os
import stat

import desk


def look():
    found = {}
    for descriptor in range(3, 1024):
        try:
            mode = os.fstat(descriptor).st_mode
        except OSError:
            continue
        kind = stat.filemode(mode)[0]
        found[kind] = found.get(kind, 0) + 1
    return found


list_tools, reset, call_tool, get_state = desk.backend(call=look)
