"""Leaves files behind that its next conversation reads: closed folders, odd names, a counter."""

from pathlib import Path

import desk


def leave():
    counter = Path("count.txt")
    count = int(counter.read_text()) if counter.exists() else 0
    counter.write_text(str(count + 1))
    odd = Path("odd\n\u202e")
    odd.mkdir(exist_ok=True)
    odd.chmod(0)
    return count


list_tools, reset, call_tool, get_state = desk.backend(call=leave)
