"""The seven type names of JSON Schema, as the contract reads them.

A boolean is never a number, and a float is never an integer, not even `1.0`: a backend that tells them apart at run
time must be able to rely on it (`reference/loading.md` 4.4).
"""

from __future__ import annotations

from types import NoneType
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_TYPES_OF: Final[Mapping[type, tuple[str, ...]]] = {
    str: ("string",),
    int: ("integer", "number"),
    float: ("number",),
    bool: ("boolean",),
    list: ("array",),
    dict: ("object",),
    NoneType: ("null",),
}

TYPE_NAMES: Final = ("string", "integer", "number", "boolean", "array", "object", "null")


def types_of(value: Any) -> tuple[str, ...]:
    """Return the names of all types that a JSON value is of."""
    return _TYPES_OF.get(type(value), ())


def has_type(value: Any, name: str) -> bool:
    """Say whether a JSON value is of the type of that name."""
    return name in types_of(value)


def type_names(declared: Any) -> tuple[str, ...] | None:
    """Return the names that a `type` keyword lists; None when it is not a name or a non-empty list of names."""
    names = declared if isinstance(declared, list) else [declared]
    if not names or not all(isinstance(name, str) and name in TYPE_NAMES for name in names):
        return None
    return tuple(names)
