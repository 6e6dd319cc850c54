"""Fails deep down in lines of a megabyte each, all of which a traceback would show."""

import desk
import long_lines

list_tools, reset, call_tool, get_state = desk.backend(call=lambda: long_lines.down(100))
