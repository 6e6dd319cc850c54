"""Rows to Parquet, a group of rows at a time.

Rows are gathered until there are `GROUP_ROWS` of them or until their texts come to `GROUP_TEXT` characters, and then
written as one row group. So memory is bounded by a group however long the table is, and the same rows give the same
groups and the same bytes.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import BinaryIO

    from assay.artifacts.tables import TableSchema

GROUP_ROWS: Final = 4096
GROUP_TEXT: Final = 16 * 2**20

Row: TypeAlias = "Sequence[Any]"
"""Values in column order."""


def make_table(schema: TableSchema, rows: Iterable[Row]) -> pa.Table:
    """Return a table of rows whose values stand in column order.

    Raises:
        pyarrow.ArrowInvalid: for a value that its column cannot hold.
        ValueError: for a null where none may be.
    """
    return _table_of(schema.name, schema.arrow, rows)


def _table_of(name: str, schema: pa.Schema, rows: Iterable[Row]) -> pa.Table:
    columns = list(zip(*rows, strict=True)) or [()] * len(schema)
    arrays = [pa.array(list(values), type=field.type) for values, field in zip(columns, schema, strict=True)]
    for array, field in zip(arrays, schema, strict=True):
        if array.null_count and not field.nullable:
            raise ValueError(f"{name}.{field.name} holds null where none may be")
    return pa.Table.from_arrays(arrays, schema=schema)


class TableWriter:
    """Writes one table to a stream: compressed, with a checksum on every page.

    Attributes:
        rows: rows added so far.

    Raises:
        OSError: when the stream refuses; so may every method but `abandon`.
    """

    def __init__(self, stream: BinaryIO, name: str, schema: pa.Schema) -> None:
        self.rows = 0
        self._name = name
        self._schema = schema
        self._writer = pq.ParquetWriter(stream, schema, compression="zstd", write_page_checksum=True)
        self._group: list[Row] = []
        self._text = 0

    def add(self, row: Row) -> None:
        """Add a row.

        Raises:
            pyarrow.ArrowInvalid: for a value, of this row or of one before it, that its column cannot hold.
            ValueError: for a null, of this row or of one before it, where none may be.
        """
        self.rows += 1
        self._group.append(row)
        for value in row:
            if type(value) is str:
                self._text += len(value)
        if len(self._group) >= GROUP_ROWS or self._text >= GROUP_TEXT:
            self.flush()

    def add_table(self, table: pa.Table) -> None:
        """Add the rows of a table."""
        self.flush()
        self.rows += table.num_rows
        self._writer.write_table(table, row_group_size=GROUP_ROWS)

    def flush(self) -> None:
        """Write the rows that wait; raises what `add` raises."""
        if self._group:
            group, self._group, self._text = self._group, [], 0
            self._writer.write_table(_table_of(self._name, self._schema, group), row_group_size=GROUP_ROWS)

    def close(self, facts: Mapping[str, str]) -> None:
        """Write what waits, and the end of the file with some facts about it; raises what `add` raises."""
        self.flush()
        self._writer.add_key_value_metadata(facts)
        self._writer.close()

    def abandon(self) -> None:
        """Let go of the stream, whose content is of no use any more."""
        self._group = []
        with suppress(OSError, pa.ArrowException):
            self._writer.close()
