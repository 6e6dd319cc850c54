"""JSON values: one canonical text, one equality, one difference.

Three questions come up at every stage, and each has exactly one answer here (ruling 3):

* *Are these bytes the same?* `canonical_json` writes a value the one way that digests, ids and replay comparison use.
  It keeps `1` and `1.0` apart.
* *Is this the value the author meant?* `same_value` is the looser equality of filters, enums, constants and
  expectations: `1` equals `1.0`, yet a boolean never equals a number, at any depth.
* *Where do they differ?* `differences` names every place at which two values part; `make_patch` and `apply_patch` turn
  that into a compact record of a state change.

RFC 8785 is not used for the canonical text because it writes `1.0` as `1`, which would hide a replay that drifts
between an integer and a float.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

JsonValue: TypeAlias = "str | int | float | bool | list[JsonValue] | dict[str, JsonValue] | None"
"""Any value that JSON can carry. Integers and floats stay apart."""

JsonObject: TypeAlias = "dict[str, JsonValue]"

PathStep: TypeAlias = "str | int"
JsonPath: TypeAlias = "tuple[PathStep, ...]"


_CANONICAL: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


class _Absent:
    """The value at a place that one side does not have. Not null: null is a value."""

    def __repr__(self) -> str:
        return "absent"


ABSENT: Final = _Absent()


def canonical_json(value: Any) -> str:
    """Return the one text form of a JSON value: keys sorted by code point, no blanks, non-ASCII kept.

    Raises:
        ValueError: for NaN or an infinity, which JSON does not have.
        TypeError: for anything that JSON cannot carry, such as a set.
    """
    return _CANONICAL.encode(value)


def digest(value: Any) -> str:
    """Return the SHA-256 of a value's canonical text, as 64 hexadecimal digits.

    Raises:
        ValueError: as `canonical_json`; also (UnicodeEncodeError) for an unpaired surrogate.
        TypeError: as `canonical_json`.
    """
    return digest_bytes(canonical_json(value).encode("utf-8"))


def digest_bytes(data: bytes) -> str:
    """Return the SHA-256 of raw bytes, as 64 hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def same_value(left: Any, right: Any) -> bool:
    """Say whether two JSON values are equal to an author: booleans are never numbers, `1` and `1.0` are one number."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(same_value(left[key], right[key]) for key in left)
    if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
        return len(left) == len(right) and all(map(same_value, left, right))
    return bool(left == right)


@dataclass(frozen=True, slots=True)
class Difference:
    """One place at which two values differ; `ABSENT` stands for the side that has nothing there."""

    path: JsonPath
    left: Any
    right: Any


def differences(left: Any, right: Any, path: JsonPath = ()) -> Iterator[Difference]:
    """Yield, in a fixed order, each innermost place at which the canonical texts of two values would differ.

    Equal objects and arrays are told by their texts and not walked through: states are large and change little.
    """
    if isinstance(left, (dict, list)) and type(left) is type(right) and canonical_json(left) == canonical_json(right):
        return
    if isinstance(left, dict) and isinstance(right, dict):
        for key in sorted(left.keys() | right.keys()):
            yield from differences(left.get(key, ABSENT), right.get(key, ABSENT), (*path, key))
    elif isinstance(left, list) and isinstance(right, list):
        for index in range(max(len(left), len(right))):
            here = left[index] if index < len(left) else ABSENT
            there = right[index] if index < len(right) else ABSENT
            yield from differences(here, there, (*path, index))
    elif type(left) is not type(right) or left != right or _signs_differ(left, right):
        yield Difference(path, left, right)


def _signs_differ(left: Any, right: Any) -> bool:
    """`0.0` and `-0.0` compare equal but are written differently."""
    return isinstance(left, float) and repr(left) != repr(right)


def path_text(path: Sequence[PathStep]) -> str:
    """Write a path the way people read it: `$.books[0].status`."""
    parts = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return "$" + "".join(parts)


def make_patch(before: Any, after: Any) -> list[JsonValue]:
    """Return the steps that turn one value into another: `[path, value]` sets, `[path]` removes.

    Removals in an array stand last-first, so that applying the steps in order is enough.
    """
    found = list(differences(before, after))
    sets: list[JsonValue] = [[list(d.path), d.right] for d in found if d.right is not ABSENT]
    removals: list[JsonValue] = [[list(d.path)] for d in reversed(found) if d.right is ABSENT]
    return sets + removals


def apply_patch(value: Any, patch: Sequence[Any]) -> Any:
    """Return a copy of a value with the steps of `make_patch` applied."""
    result = json.loads(canonical_json(value))
    for step in patch:
        path, *replacement = step
        if not path:
            result = replacement[0]
            continue
        parent = result
        for key in path[:-1]:
            parent = parent[key]
        _apply_step(parent, path[-1], replacement)
    return result


def _apply_step(parent: Any, key: PathStep, replacement: list[Any]) -> None:
    if not replacement:
        del parent[key]
    elif isinstance(parent, list) and key == len(parent):
        parent.append(replacement[0])
    else:
        parent[key] = replacement[0]


def indented_json(value: Any) -> str:
    """Return the text of a JSON value for files that people open: indented by two, keys sorted, non-ASCII kept."""
    return json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def shown(value: Any, limit: int = 120) -> str:
    """Write a JSON value for people: its canonical text, cut at a limit, with what UTF-8 cannot carry escaped."""
    if value is ABSENT:
        return "nothing"
    text = storable(canonical_json(value))
    return text if len(text) <= limit else f"{text[: limit - 3]}..."


def storable(text: str) -> str:
    """Return a text that UTF-8 can carry: an unpaired surrogate is written as its escape."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def equality_key(value: JsonValue) -> str:
    """Return a text that two JSON values share exactly when they are the `same_value`, for sets and look-ups."""
    return canonical_json(_with_whole_floats_as_integers(value))


def _with_whole_floats_as_integers(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, (list, tuple)):
        return [_with_whole_floats_as_integers(item) for item in value]
    if isinstance(value, dict):
        return {key: _with_whole_floats_as_integers(item) for key, item in value.items()}
    return value
