"""Answers with an object that contains itself."""

import desk


def circular(result):
    result["self"] = result
    return result


list_tools, reset, call_tool, get_state = desk.backend(answer=circular)
