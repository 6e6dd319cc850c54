"""From a value of pack code to JSON text, or to a sentence that says what in it is not JSON.

Accepted is what the standard `json` module writes: tuples become arrays, and keys that are numbers, booleans or null
become text, as in the reference. Refused are NaN and the infinities, unpaired surrogates, two keys that become the
same text, numbers too long to be read back, everything that JSON has no form for, and what is too deep or too large.
"""

from __future__ import annotations

import json
import math

from .protocol import MAX_DEPTH, MAX_PARTS, parts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Final

NOT_JSON: Final = "not_json"
TOO_LARGE: Final = "too_large"

_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_CONTAINERS: Final = (dict, list, tuple)
_ONLY_TEXT: Final = frozenset({str})
_VOWELS: Final = "AEIOUaeiou"


class Unfit(Exception):
    """A value cannot be sent.

    Attributes:
        kind: `not_json` or `too_large`.
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def encode(value: Any, what: str, limit: int) -> bytes:
    """Return the JSON text of a value.

    Args:
        value: anything that pack code gave.
        what: how to call it in a message: `result`, `state`.
        limit: the longest text allowed, in bytes.

    Raises:
        Unfit: when it has none, or a too long one.
    """
    try:
        _check_shape(value, what, limit)
        data = _ENCODER.encode(value).encode()
    except (AttributeError, TypeError, ValueError, RecursionError) as problem:
        raise Unfit(NOT_JSON, _first_fault(value, what) or f"{what} cannot be written as JSON") from problem
    except MemoryError:
        raise Unfit(TOO_LARGE, f"{what} does not fit into the memory that a worker has") from None
    if len(data) > limit:
        raise Unfit(TOO_LARGE, f"{what} takes {len(data)} bytes as JSON; the limit is {limit}")
    parts = parts_of(data)
    if parts > MAX_PARTS:
        raise Unfit(TOO_LARGE, f"{what} has {parts} parts (values, and commas in texts); the limit is {MAX_PARTS}")
    return data


def _check_shape(value: Any, what: str, limit: int) -> None:
    """Look at containers alone, level by level: their depth, their number and the keys of objects.

    This is quick where the JSON encoder would fail late (a structure that contains itself) or not at all (keys).
    """
    level = [value] if isinstance(value, _CONTAINERS) else []
    depth = count = 0
    while level:
        depth += 1
        count += len(level)
        if depth > MAX_DEPTH:
            raise Unfit(TOO_LARGE, f"{what} is nested more than {MAX_DEPTH} levels deep")
        if count * 2 > limit:
            raise Unfit(TOO_LARGE, f"{what} has so many parts that it takes more than {limit} bytes as JSON")
        inner: list[Any] = []
        for container in level:
            if isinstance(container, dict):
                if not _ONLY_TEXT.issuperset(map(type, container)):
                    _check_keys(container, what)
                inner += [each for each in container.values() if isinstance(each, _CONTAINERS)]
            else:
                inner += [each for each in container if isinstance(each, _CONTAINERS)]
        level = inner


def _check_keys(container: dict[Any, Any], what: str) -> None:
    """Refuse keys that become the same text in JSON. Keys that have no text are left to the encoder."""
    seen: set[str] = set()
    for text in filter(None, map(_key_text, container)):
        if text in seen:
            raise Unfit(NOT_JSON, f'{what} has an object with two keys that JSON writes as "{text}"')
        seen.add(text)


def _key_text(key: Any) -> str | None:
    if isinstance(key, str):
        return str.__str__(key)
    return json.dumps(key) if key is None or isinstance(key, (bool, int, float)) else None


def _first_fault(value: Any, what: str) -> str | None:
    """Return a sentence about the first part that is not JSON, with its place; None when none is found."""
    return next(_faults(value, what), None)


def _faults(value: Any, place: str) -> Iterator[str]:
    """Yield a sentence for each part that is not JSON. Asked is the type: an object can lie about its class."""
    if issubclass(type(value), dict):
        for key, item in dict.items(value):
            if not (key is None or issubclass(type(key), (str, int, float))):
                yield f"{place} has a key that is {_kind(key)}"
            yield from _faults(key, f"a key of {place}")
            yield from _faults(item, f"{place}.{key}")
    elif issubclass(type(value), (list, tuple)):
        for index, item in enumerate(value):
            yield from _faults(item, f"{place}[{index}]")
    elif issubclass(type(value), str):
        if any(0xD800 <= ord(character) <= 0xDFFF for character in value):
            yield f"{place} holds an unpaired surrogate, which UTF-8 cannot carry"
    elif issubclass(type(value), float):
        if not math.isfinite(value):
            yield f"{place} is {value}, which JSON does not have"
    elif issubclass(type(value), int):
        if not _has_text(value):
            yield f"{place} is a number of too many digits to be read back"
    elif value is not None:
        yield f"{place} is {_kind(value)}"


def _has_text(number: int) -> bool:
    """Python itself bounds how long a number it writes or reads."""
    try:
        int.__repr__(number)
    except ValueError:
        return False
    return True


def _kind(value: Any) -> str:
    name = type(value).__name__
    return f"{'an' if name[:1] in _VOWELS else 'a'} {name}"
