"""Crashes its interpreter."""

import ctypes

import desk


def crash():
    ctypes.string_at(0)  # here


list_tools, reset, call_tool, get_state = desk.backend(call=crash)
