"""What all codecs share: identity columns, tables from rows, open-ended values as text, places."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from assay.artifacts.table_writer import Row, make_table
from assay.findings import Place
from assay.values import canonical_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.pack.model import KnownBy

__all__ = [
    "PackIdentity",
    "Row",
    "from_text",
    "identity_of",
    "make_table",
    "place_columns",
    "read_place",
    "to_text",
]

_DECODER: Final = json.JSONDecoder()
"""Reads canonical text, which has no blanks around it, in half the time of `json.loads`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PackIdentity:
    """The three columns that every table begins with."""

    pack_id: str
    version: str
    fingerprint: str

    @property
    def columns(self) -> tuple[str, str, str]:
        """Values in column order."""
        return (self.pack_id, self.version, self.fingerprint)


def identity_of(known: KnownBy | None) -> PackIdentity:
    """Return the identity columns of a pack; empty texts when it could not be read."""
    if known is None:
        return PackIdentity(pack_id="", version="", fingerprint="")
    return PackIdentity(pack_id=known.pack_id, version=known.version, fingerprint=known.fingerprint)


def to_text(value: Any) -> str | None:
    """Write an open-ended value; None (nothing was observed) stays null."""
    return None if value is None else canonical_json(value)


def from_text(text: str | None) -> Any:
    """Read back an open-ended value."""
    return None if text is None else _DECODER.raw_decode(text)[0]


def place_columns(place: Place | None) -> tuple[str | None, int | None, int | None]:
    """Return the columns `file`, `line` and `column` of a place."""
    return (None, None, None) if place is None else (place.file, place.line, place.column)


def read_place(row: Mapping[str, Any]) -> Place | None:
    """Read back a place from its three columns."""
    return None if row["file"] is None else Place(row["file"], row["line"], row["column"])
