"""An artifact under way: all its tables at once, row by row, under temporary names.

Nothing can be read by its name before `publish`, which closes and hashes every table first. Then the further tables get
their names, and the main one last: it holds the digests of the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.artifacts.artifact import FINDINGS, Artifact, StoreError
from assay.artifacts.files import TemporaryFile
from assay.artifacts.table_writer import TableWriter
from assay.artifacts.tables import ALL_TABLES
from assay.values import canonical_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from types import TracebackType
    from typing import Self

    import pyarrow as pa

    from assay.artifacts.keys import KeyParts
    from assay.artifacts.table_writer import Row

FACTS = "assay.artifact"
"""Under this name the main table's metadata holds what is known of the artifact."""


class _Part:
    """One table and the file that it goes to."""

    def __init__(self, folder: Path, name: str, table: str, schema: pa.Schema) -> None:
        self.name = name
        self.file = TemporaryFile(folder, name)
        self.writer = TableWriter(self.file.stream, table, schema)

    def close(self, facts: Mapping[str, str]) -> str:
        self.writer.close(facts)
        return self.file.close()

    def discard(self) -> None:
        self.writer.abandon()
        self.file.discard()


class ArtifactWriter:
    """Writes one artifact. A context manager: what was not published by its end leaves nothing behind.

    Args:
        parts: of the artifact's key.
        folder: where the temporary files go; created when needed.
        tables: names of the tables, the main one first. Those that get no rows are empty; findings without rows are
            left out.
    """

    def __init__(self, parts: KeyParts, folder: Path, tables: Sequence[str]) -> None:
        self._parts = parts
        self._key = parts.key
        self._folder = folder
        self._tables = tuple(tables)
        self._open: dict[str, _Part] = {}

    @property
    def stage(self) -> str:
        """The stage that the artifact belongs to."""
        return self._parts.stage

    @property
    def key(self) -> str:
        """The artifact's content key."""
        return self._key

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget all rows."""
        while self._open:
            self._open.popitem()[1].discard()

    def add(self, table: str, row: Row) -> None:
        """Add a row, its values in column order, to one of the declared tables.

        Raises:
            StoreError: when the file system refuses.
            pyarrow.ArrowInvalid: for a value, of this row or of one before it, that its column cannot hold.
            ValueError: for a null, of this row or of one before it, where none may be.
        """
        try:
            self._part(table).writer.add(row)
        except OSError as error:
            raise self._refused(error) from error

    def add_table(self, table: str, whole: pa.Table) -> None:
        """Add all rows of a table; raises what `add` raises."""
        try:
            self._part(table, whole.schema).writer.add_table(whole)
        except OSError as error:
            raise self._refused(error) from error

    def flush(self) -> None:
        """Write all rows that wait; raises what `add` raises, for no later step to raise it."""
        try:
            for part in self._open.values():
                part.writer.flush()
        except OSError as error:
            raise self._refused(error) from error

    def publish(self, folder: Path, *, final: bool) -> Artifact:
        """Give the artifact its name in a folder, which must lie on the same file system.

        Raises:
            StoreError: when the file system refuses; nothing readable is left behind then.
        """
        try:
            return self._published(folder, final=final)
        except OSError as error:
            raise self._refused(error) from error

    def _published(self, folder: Path, *, final: bool) -> Artifact:
        names = [name for name in self._tables if name != FINDINGS or self._has_rows(name)]
        main, *others = map(self._part, names)
        siblings = {name: part.close({}) for name, part in zip(names[1:], others, strict=True)}
        artifact = Artifact(
            stage=self._parts.stage,
            key=self._key,
            path=folder / main.name,
            main=names[0],
            rows={name: self._open[name].writer.rows for name in names},
            siblings=siblings,
            final=final,
        )
        main.close({FACTS: canonical_json(self._facts(artifact))})
        folder.mkdir(parents=True, exist_ok=True)
        for part in (*others, main):
            part.file.publish(folder / part.name)
        return artifact

    def _has_rows(self, table: str) -> bool:
        return table in self._open and self._open[table].writer.rows > 0

    def _facts(self, artifact: Artifact) -> dict[str, object]:
        return {
            "stage": artifact.stage,
            "key": artifact.key,
            "main": artifact.main,
            "rows": artifact.rows,
            "siblings": artifact.siblings,
            "final": artifact.final,
            "parts": self._parts.to_json(),
        }

    def _part(self, table: str, schema: pa.Schema | None = None) -> _Part:
        """Return the part of a table, begun now if need be."""
        part = self._open.get(table)
        if part is None:
            self._folder.mkdir(parents=True, exist_ok=True)
            name = f"{self._key}.parquet" if table == self._tables[0] else f"{self._key}.{table}.parquet"
            part = _Part(self._folder, name, table, ALL_TABLES[table].arrow if schema is None else schema)
            self._open[table] = part
        return part

    def _refused(self, error: OSError) -> StoreError:
        what = f"cannot write the {self._parts.stage} artifact in {self._folder}"
        return StoreError(f"{what}: {error.strerror or error}")
