"""Answers with a wrong row that claims to equal whatever it is compared with."""

import desk


class Agreeable(str):
    def __eq__(self, other):
        return True

    __hash__ = str.__hash__


list_tools, reset, call_tool, get_state = desk.backend(answer=lambda result: {**result, "name": Agreeable("wrong")})
