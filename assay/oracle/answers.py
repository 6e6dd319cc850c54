"""Reading what a worker sends, within bounds that do not depend on the worker.

A worker judges the values of pack code itself (`worker.encoding`) and says what is wrong with them. But pack code can
reach the worker's own functions and pipes, so all of that is checked again here: a text that is no JSON, is nested so
deeply that our own readers would fail, holds what UTF-8 cannot carry, or is small as a text and enormous as Python
objects (sixteen megabytes of `[],[],[],` are four hundred) must not get any further.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, Final, NoReturn

from assay.oracle.worker.protocol import MAX_DEPTH, MAX_PARTS, parts_of

_ALL_BUT_BRACKETS: Final = bytes(set(range(256)) - set(b"[]{}"))
_ESCAPED_SURROGATE: Final = re.compile(rb"\\u[dD][89a-fA-F]")


class OversizedAnswer(Exception):
    """An answer is deeper, or has more parts, than any may."""


def read_answer(body: bytes) -> Any:
    """Read a worker's answer.

    Raises:
        ValueError: when it is no JSON text, or holds a number or a text that JSON and UTF-8 cannot carry.
        RecursionError: when it is nested far too deeply.
        OversizedAnswer: when it is more than our process should hold.
    """
    parts = parts_of(body)
    if parts > MAX_PARTS:
        raise OversizedAnswer(f"has {parts} parts (values, and commas in texts); the limit is {MAX_PARTS}")
    content = read_json(body)
    if _looks_deep(body) and _is_deeper_than(content, MAX_DEPTH):
        raise OversizedAnswer(f"is nested more than {MAX_DEPTH} levels deep")
    if _ESCAPED_SURROGATE.search(body):
        json.dumps(content, ensure_ascii=False).encode()
    return content


def read_json(body: bytes) -> Any:
    """Read a worker's JSON text.

    Raises:
        ValueError: when it is no JSON text, or holds a number that JSON does not have.
        RecursionError: when it is nested too deeply.
    """
    return _DECODER.decode(body.decode())


def _looks_deep(body: bytes) -> bool:
    """Say whether a text could be nested more than `MAX_DEPTH` levels, without looking at its values one by one.

    Of the brackets alone, pairs with nothing between them are taken away, again and again; each round takes at most two
    levels. What is gone after half as many rounds as levels are allowed was not too deep. Brackets in texts can make a
    shallow one look deep, never the other way round. It is many times quicker than a walk over all values, and every
    answer of a worker comes through here.
    """
    brackets = body.translate(None, _ALL_BUT_BRACKETS)
    if len(brackets) <= 2 * MAX_DEPTH:
        return False
    for _ in range(MAX_DEPTH // 2):
        rest = brackets.replace(b"[]", b"").replace(b"{}", b"")
        if len(rest) in (0, len(brackets)):
            return bool(rest)
        brackets = rest
    return True


def _is_deeper_than(value: Any, depth: int) -> bool:
    level = [value] if type(value) in (dict, list) else []
    for _ in range(depth):
        level = [
            inner
            for container in level
            for inner in (container.values() if type(container) is dict else container)
            if type(inner) in (dict, list)
        ]
        if not level:
            return False
    return True


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{text} is beyond the range of numbers")
    return number


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


_DECODER: Final = json.JSONDecoder(parse_float=_finite, parse_constant=_refuse)
