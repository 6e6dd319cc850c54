"""Answers with an object of ten million keys."""

import desk


def many(result):
    return dict.fromkeys(range(10**7)) | result


list_tools, reset, call_tool, get_state = desk.backend(answer=many)
