"""Sends the first half of a reply and waits."""

import os
import time

import desk
import inside


def forge():
    channel = inside.channel()
    os.write(channel._replies, inside.header(1000, channel._token, channel._sequence) + b"half")
    time.sleep(60)  # here


list_tools, reset, call_tool, get_state = desk.backend(call=forge)
