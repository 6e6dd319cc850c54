"""Announces a reply of four gigabytes, under the worker's own token."""

import os

import desk
import inside


def forge():
    channel = inside.channel()
    header = inside.header(2**32 - 1, channel._token, channel._sequence)
    os.write(channel._replies, header)


list_tools, reset, call_tool, get_state = desk.backend(call=forge)
