"""Has the worker answer under the number of a later request."""

import desk
import inside


def forge():
    inside.channel()._sequence += 1


list_tools, reset, call_tool, get_state = desk.backend(call=forge)
