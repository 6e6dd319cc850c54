"""Closes every descriptor there is."""

import os

import desk

list_tools, reset, call_tool, get_state = desk.backend(call=lambda: os.closerange(0, 1024))
