"""Claims to have imported thousands of installed modules, some under names that no file could have."""

import sys
import types

import desk

FOLDER = next(each for each in sys.path if each.endswith("site-packages"))
for number in range(5000):
    claimed = types.ModuleType(f"claimed_{number}")
    claimed.__file__ = f"{FOLDER}/claimed_{number}\ud800/" + "x" * 100
    sys.modules[claimed.__name__] = claimed

list_tools, reset, call_tool, get_state = desk.backend()
