"""Answers with an object that claims to be a dict."""

import desk


class Liar:
    @property
    def __class__(self):
        return dict


list_tools, reset, call_tool, get_state = desk.backend(answer=lambda result: {**result, "inner": Liar()})
