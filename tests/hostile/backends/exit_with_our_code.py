"""Ends its process with the code by which a worker says that its channel is lost."""

import os

import desk

list_tools, reset, call_tool, get_state = desk.backend(call=lambda: os._exit(113))
