"""What all codecs share: identity columns, tables from rows, open-ended values as text, places."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from assay.findings import Place
from assay.values import canonical_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from assay.artifacts.tables import TableSchema
    from assay.pack.model import Pack


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


def identity_of(pack: Pack) -> PackIdentity:
    """Return the identity columns of a loaded pack."""
    return PackIdentity(pack_id=pack.manifest.pack_id, version=pack.manifest.version, fingerprint=pack.fingerprint)


def make_table(schema: TableSchema, rows: Iterable[Sequence[Any]]) -> pa.Table:
    """Return a table of rows whose values stand in column order.

    Raises:
        pyarrow.ArrowInvalid: for a value that its column cannot hold.
        ValueError: for a null where none may be.
    """
    arrow = schema.arrow
    columns = list(zip(*rows, strict=True)) or [()] * len(arrow)
    arrays = [pa.array(list(values), type=field.type) for values, field in zip(columns, arrow, strict=True)]
    for array, field in zip(arrays, arrow, strict=True):
        if array.null_count and not field.nullable:
            raise ValueError(f"{schema.name}.{field.name} holds null where none may be")
    return pa.Table.from_arrays(arrays, schema=arrow)


def to_text(value: Any) -> str | None:
    """Write an open-ended value; None (nothing was observed) stays null."""
    return None if value is None else canonical_json(value)


def from_text(text: str | None) -> Any:
    """Read back an open-ended value."""
    return None if text is None else json.loads(text)


def place_columns(place: Place | None) -> tuple[str | None, int | None, int | None]:
    """Return the columns `file`, `line` and `column` of a place."""
    return (None, None, None) if place is None else (place.file, place.line, place.column)


def read_place(row: Mapping[str, Any]) -> Place | None:
    """Read back a place from its three columns."""
    return None if row["file"] is None else Place(row["file"], row["line"], row["column"])


def by_task(table: pa.Table, *more: str) -> Iterator[Iterator[dict[str, Any]]]:
    """Group the rows of a table by task (and further columns); rows of one task stand together."""
    names = ("task_id", *more)
    for _, rows in groupby(table.to_pylist(), key=lambda row: tuple(row[name] for name in names)):
        yield rows
