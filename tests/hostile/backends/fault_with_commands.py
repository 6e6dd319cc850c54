"""Raises a text that commands a terminal, and a code-review service."""

import desk


def command():
    raise ValueError("\x1b[2J\x1b]0;gold\x07\n::add-mask::x\r\n##[error]\u202e%0A::stop-commands::y")  # here


list_tools, reset, call_tool, get_state = desk.backend(call=command)
