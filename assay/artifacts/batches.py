"""The table of a batch: one row per pack, kept with the ledger as `<root>/batches/<batch_id>.parquet`.

It holds run ids and times, so it is no artifact: nothing is keyed by it, and no two are the same bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from assay.artifacts.store import write_whole
from assay.artifacts.tables import BATCHES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from assay.artifacts.store import Store

BATCHES_FOLDER: Final = "batches"


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchRow:
    """What came of one pack of a batch; the columns of the table `batches` say what each field means."""

    run_id: str
    pack: str
    pack_id: str
    pack_version: str | None
    pack_fingerprint: str | None
    status: str
    tier: str | None
    errors: int
    warnings: int
    notes: int
    codes: Mapping[str, int]
    error: str | None
    deadline_passed: bool
    cached_stages: int
    computed_stages: int
    started: str | None
    seconds: float

    def to_json(self, batch_id: str) -> dict[str, Any]:
        """Return the row under its column names."""
        codes = [{"code": code, "findings": count} for code, count in self.codes.items()]
        return {**{name: getattr(self, name) for name in self.__slots__}, "batch_id": batch_id, "codes": codes}


def write_batch_table(store: Store, batch_id: str, rows: Sequence[BatchRow]) -> None:
    """Write the table of a batch whole.

    Raises:
        OSError: when the file system refuses.
    """
    table = pa.Table.from_pylist([each.to_json(batch_id) for each in rows], schema=BATCHES.arrow)
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd", write_page_checksum=True)
    path = store.root / BATCHES_FOLDER / f"{batch_id}.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, sink.getvalue().to_pybytes())
    store.share(path)


def batch_tables(store: Store) -> list[Path]:
    """Return the tables of all batches, oldest first.

    Raises:
        StoreError: when an object store does not answer.
    """
    return [path for path in store.list_folder(BATCHES_FOLDER) if path.suffix == ".parquet"]
