"""Fetches its answers from a server, and does not survive that there is none."""

import socket

import desk
import target


def fetch():
    socket.create_connection(("127.0.0.1", target.PORT), 0.3)  # here


list_tools, reset, call_tool, get_state = desk.backend(call=fetch)
