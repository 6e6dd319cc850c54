"""Kills its whole process group, in the hope that we are part of it."""

import os
import signal

import desk

list_tools, reset, call_tool, get_state = desk.backend(call=lambda: os.kill(0, signal.SIGKILL))
