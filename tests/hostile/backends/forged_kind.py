"""Claims, in the middle of a call, that its worker could not be set up: a fault that would be the machine's."""

import desk
import inside


def forge():
    inside.reply(b"{}", kind=b"X")


list_tools, reset, call_tool, get_state = desk.backend(call=forge)
