"""Tries nothing."""

import desk

list_tools, reset, call_tool, get_state = desk.backend()
