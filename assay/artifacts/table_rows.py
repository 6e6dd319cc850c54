"""Rows of a stored table, read batch by batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from assay.artifacts.artifact import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

BATCH_ROWS: Final = 1024
"""Rows that are in memory at a time as Python values. A row group has more of them, as Arrow data."""


class TableRows:
    """The rows of a table as often as they are asked for: every iteration begins anew and holds one batch.

    Args:
        batches: gives the table's record batches, or only some columns of them.
    """

    def __init__(self, batches: Callable[[Sequence[str] | None], Iterator[pa.RecordBatch]]) -> None:
        self._batches = batches

    @classmethod
    def of_file(cls, path: Path) -> TableRows:
        """Return the rows of a Parquet file.

        Iterating raises StoreError when the file cannot be read.
        """
        return cls(lambda columns: _batches_of_file(path, columns))

    @classmethod
    def of_table(cls, table: pa.Table) -> TableRows:
        """Return the rows of a table that is in memory already."""
        return cls(lambda columns: iter((table if columns is None else table.select(columns)).to_batches(BATCH_ROWS)))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Yield each row as column -> value."""
        for batch in self._batches(None):
            yield from batch.to_pylist()

    def values(self, *columns: str) -> Iterator[tuple[Any, ...]]:
        """Yield of each row the values of some columns; the others are not read."""
        for batch in self._batches(columns):
            yield from zip(*(batch.column(name).to_pylist() for name in columns), strict=True)


def _batches_of_file(path: Path, columns: Sequence[str] | None) -> Iterator[pa.RecordBatch]:
    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            yield from file.iter_batches(BATCH_ROWS, columns=None if columns is None else list(columns))
    except (OSError, pa.ArrowException) as error:
        raise StoreError(f"cannot read {path}: {error}") from error
