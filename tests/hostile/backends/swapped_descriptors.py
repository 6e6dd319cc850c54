"""Exchanges the two ends of its channel."""

import os

import desk
import inside


def swap():
    channel = inside.channel()
    kept = os.dup(channel._requests)
    os.dup2(channel._replies, channel._requests)
    os.dup2(kept, channel._replies)


list_tools, reset, call_tool, get_state = desk.backend(call=swap)
