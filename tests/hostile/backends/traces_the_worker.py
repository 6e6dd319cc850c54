"""Traces every function of its process, ours included, and raises in one of them."""

import sys

import desk


def trace(frame, event, argument):
    if frame.f_code.co_name == "encode":
        raise ValueError("not this one")
    return trace


list_tools, reset, call_tool, get_state = desk.backend(call=lambda: sys.settrace(trace))
