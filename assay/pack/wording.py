"""How messages about a pack name what they are about: bounded, on one line, the same everywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from assay.values import shown

if TYPE_CHECKING:
    from assay.findings import Place

SHOWN: Final = 60
"""Characters of a value or a name that a message shows."""


def described(value: Any) -> str:
    """Say what a value is: `the text "no"`, `the number 5`, `a list`."""
    if value is None or isinstance(value, bool):
        return shown(value)
    if isinstance(value, str):
        return f"the text {shown(value, SHOWN)}"
    if isinstance(value, (int, float)):
        return f"the number {shown(value, SHOWN)}"
    return "a list" if isinstance(value, list) else "a mapping"


def quoted(text: str, limit: int = SHOWN) -> str:
    """Return a name in backticks, cut when it is longer than any name."""
    inner = shown(text, limit)[1:].removesuffix('"')
    return f"`{inner}`"


def sentence(text: str) -> str:
    """Return a text with a capital at its beginning."""
    return text[:1].upper() + text[1:]


def spot(place: Place) -> str:
    """Return a place in the file that a finding stands in: `line 3, column 7`."""
    return f"line {place.line}, column {place.column}"
