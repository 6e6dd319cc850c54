"""Placeholders: `{slot}` in texts and in arguments, substituted in one way everywhere.

A placeholder is an ASCII identifier in braces. Substitution is one pass: what is inserted is never looked at again, so
braces in data are safe. There is no escape. An argument that is exactly one placeholder keeps the value's JSON type;
a placeholder within other text becomes the value's Python `str` (`reference/bind-plan-render.md` 3.1,
`reference/trace-replay.md` 2.2).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from assay.values import JsonPath, JsonValue

_PLACEHOLDER: Final = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")

_LOOKALIKE: Final = re.compile(r"(?<!\{)\{++\s*+[\w.\-\[\] ]{0,80}(?:[!:][^{}\"'\s]{0,20})?\s*\}+")
"""A brace group that holds a name, a path or a format specification, and nothing that JSON or prose would need."""

FROM_RESULT: Final = "from_result"


def names_in(text: str) -> tuple[str, ...]:
    """Return the names of the placeholders of a text, each once, in order."""
    return tuple(dict.fromkeys(_PLACEHOLDER.findall(text)))


def fill_text(text: str, values: Mapping[str, JsonValue]) -> str:
    """Return a text with every placeholder replaced.

    Raises:
        KeyError: for a name without a value.
    """
    return _PLACEHOLDER.sub(lambda found: str(values[found[1]]), text)


def fill(value: JsonValue, values: Mapping[str, JsonValue]) -> JsonValue:
    """Return an argument value with every placeholder in it replaced; keys and `from_result` markers are left alone.

    Raises:
        KeyError: for a name without a value.
    """
    if isinstance(value, str):
        exact = _PLACEHOLDER.fullmatch(value)
        return values[exact[1]] if exact else fill_text(value, values)
    if isinstance(value, list):
        return [fill(item, values) for item in value]
    if isinstance(value, dict) and not is_marker(value):
        return {key: fill(item, values) for key, item in value.items()}
    return value


def is_marker(value: JsonValue) -> bool:
    """Say whether a value is a `from_result` marker: an object with that key alone."""
    return isinstance(value, dict) and len(value) == 1 and FROM_RESULT in value


def texts_in(value: JsonValue, path: JsonPath = ()) -> Iterator[tuple[JsonPath, str]]:
    """Yield every text within an argument value with its path; keys and what `from_result` markers hold left out."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from texts_in(item, (*path, index))
    elif isinstance(value, dict) and not is_marker(value):
        for key, item in value.items():
            yield from texts_in(item, (*path, key))


def markers_in(value: JsonValue, path: JsonPath = ()) -> Iterator[tuple[JsonPath, Any]]:
    """Yield the body of every `from_result` marker within an argument value with the marker's path."""
    if is_marker(value):
        yield path, value[FROM_RESULT]  # type: ignore[call-overload, index]
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from markers_in(item, (*path, index))
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from markers_in(item, (*path, key))


def lookalikes_in(text: str) -> tuple[str, ...]:
    """Return brace groups that were surely meant as placeholders but stay in the text (ruling 22).

    That is `{số}` (not ASCII), `{a.b}`, `{ a }`, `{1a}`, `{a:>8}` and also `{{a}}`, which is no escape: it renders as
    brace, value, brace. JSON and prose in braces are left alone.
    """
    found = (match[0] for match in _LOOKALIKE.finditer(text))
    return tuple(dict.fromkeys(each for each in found if not _PLACEHOLDER.fullmatch(each) and _has_letter(each)))


def _has_letter(text: str) -> bool:
    return any(character.isalpha() or character == "_" for character in text)


def renders_as_code(value: JsonValue) -> bool:
    """Say whether a value's text reads like program code to a person: `True`, `None`, `['a']`, `1e+16` (ruling 22)."""
    if isinstance(value, float):
        return not str(value).lstrip("-").replace(".", "", 1).isdigit()
    return not isinstance(value, (str, int)) or isinstance(value, bool)
