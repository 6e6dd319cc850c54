"""Ends its process when asked for its state."""

import os

import desk

list_tools, reset, call_tool, get_state = desk.backend(state=lambda state: os._exit(0))
