"""Raises in code that claims to stand in a file outside the pack, so that the file's line is shown."""

import desk
import target

PLACE = f"{target.ROOT}/../../../../../../../../../../..{target.SECRET_FILE}"

list_tools, reset, call_tool, get_state = desk.backend(call=lambda: exec(compile("1 / 0", PLACE, "exec")))
