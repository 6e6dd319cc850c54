"""Takes memory until there is none left."""

import desk


def take():
    kept = []
    while True:
        kept.append(bytes(64 * 1024**2))  # here


list_tools, reset, call_tool, get_state = desk.backend(call=take)
