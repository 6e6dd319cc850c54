"""Has a state of more than a reply may hold."""

import desk

list_tools, reset, call_tool, get_state = desk.backend(state=lambda state: {**state, "text": "é" * 9 * 1024**2})
