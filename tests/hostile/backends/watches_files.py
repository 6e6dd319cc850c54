"""Has the kernel tell which files other programs open."""

import ctypes
import os

import desk
import target


def watch():
    libc = ctypes.CDLL(None)
    descriptor = libc.inotify_init1(0)
    return {
        "inotify": descriptor
        if descriptor < 0
        else libc.inotify_add_watch(descriptor, os.fsencode(target.HOME), 0xFFF),
        "fanotify": libc.fanotify_init(0, 0),
    }


list_tools, reset, call_tool, get_state = desk.backend(call=watch)
