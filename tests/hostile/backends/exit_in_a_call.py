"""Ends its process in a call."""

import os

import desk

list_tools, reset, call_tool, get_state = desk.backend(call=lambda: os._exit(1))
