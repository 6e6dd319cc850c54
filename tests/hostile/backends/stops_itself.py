"""Stops its own process."""

import os
import signal

import desk

list_tools, reset, call_tool, get_state = desk.backend(call=lambda: os.kill(os.getpid(), signal.SIGSTOP))
