"""Ends its process in a reset."""

import os

import desk

list_tools, reset, call_tool, get_state = desk.backend(reset=lambda: os._exit(0))
