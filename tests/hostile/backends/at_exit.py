"""Has work done when its interpreter ends: printing, hanging, writing."""

import atexit
import time

import desk

atexit.register(time.sleep, 300)
atexit.register(print, "at exit")

list_tools, reset, call_tool, get_state = desk.backend()
