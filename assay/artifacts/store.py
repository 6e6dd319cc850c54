"""The content-addressed store of artifacts.

An artifact is the tables of one stage under one key:

    <root>/stage=<name>/pack_id=<id>/<key>.parquet            the stage's main table
    <root>/stage=<name>/pack_id=<id>/<key>.<table>.parquet    its further tables, and its findings if there are any

Every file is written under a temporary name, flushed and renamed, and the main table gets its name last: it holds the
digests of the others in its metadata, so an artifact exists exactly when its main table does and agrees with them. A
file that is missing, torn or not what the main table says makes the artifact absent; it is then computed again, never
half read. Many writers may write the same key at once: they write the same bytes.

A result that rests on a deadline or a dead worker is *provisional* (ruling 40). It is kept under its run, for the later
stages of that run, and is never found again by key.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pyarrow as pa
import pyarrow.parquet as pq

from assay.artifacts.artifact import FINDINGS, Artifact, StoreError
from assay.artifacts.artifact_writer import FACTS, ArtifactWriter
from assay.artifacts.files import digest_of_file, write_whole
from assay.artifacts.table_rows import TableRows
from assay.values import digest_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from assay.artifacts.keys import KeyParts

__all__ = [
    "FINDINGS",
    "Artifact",
    "Store",
    "StoreError",
    "digest_of_file",
    "discard",
    "read_artifact",
    "read_facts",
    "read_parts",
    "read_rows",
    "read_table",
    "table_files",
    "write_whole",
]

_LONGEST_ID = 80


@dataclass(frozen=True, slots=True)
class Store:
    """Artifacts below one root folder."""

    root: Path

    @property
    def snapshots(self) -> Path:
        """Folder of pack snapshots, by fingerprint."""
        return self.root / "snapshots"

    def folder(self, stage: str, pack_id: str, provisional_run: str | None = None) -> Path:
        """Return the folder of one stage's artifacts of one pack."""
        base = self.root if provisional_run is None else self.root / "provisional" / provisional_run
        return base / f"stage={stage}" / f"pack_id={_path_safe(pack_id)}"

    def find(self, stage: str, pack_id: str, key: str) -> Artifact | None:
        """Return the complete, final artifact of that key, or None."""
        return read_artifact(self.folder(stage, pack_id) / f"{key}.parquet")

    def holds_remains(self, stage: str, pack_id: str, key: str) -> bool:
        """Say whether there is a main file of that key, whole or not: a crash or an accident left it behind."""
        return (self.folder(stage, pack_id) / f"{key}.parquet").exists()

    def begin(self, parts: KeyParts, pack_id: str, tables: Sequence[str]) -> ArtifactWriter:
        """Begin to write an artifact with these tables, the main one first; see `publish`."""
        return ArtifactWriter(parts, self.folder(parts.stage, pack_id), (*tables, FINDINGS))

    def publish(self, writer: ArtifactWriter, pack_id: str, *, provisional_run: str | None = None) -> Artifact:
        """Give what was written its name in this store.

        Raises:
            StoreError: when the file system refuses; nothing readable is left behind then.
        """
        folder = self.folder(writer.stage, pack_id, provisional_run)
        return writer.publish(folder, final=provisional_run is None)

    def write(
        self,
        parts: KeyParts,
        pack_id: str,
        tables: Mapping[str, pa.Table],
        *,
        provisional_run: str | None = None,
    ) -> Artifact:
        """Write an artifact whose tables are in memory. The first table is the main one.

        Raises:
            StoreError: when the file system refuses; nothing readable is left behind then.
        """
        with self.begin(parts, pack_id, [name for name in tables if name != FINDINGS]) as writer:
            for name, table in tables.items():
                writer.add_table(name, table)
            return self.publish(writer, pack_id, provisional_run=provisional_run)

    def address_of(self, artifact: Artifact) -> str:
        """Return how references and records name an artifact, so that every process that uses this store finds it."""
        return str(artifact.path)

    def path_of(self, address: str) -> Path:
        """Return the main file that an address stands for, brought up to date; it need not be there."""
        return Path(address)

    def open(self, address: str) -> Artifact | None:
        """Return the complete artifact of that address, or None."""
        return read_artifact(Path(address))

    def fetch(self, path: Path) -> None:
        """Bring a file below the root up to date before it is read; a folder always is (`shared.store`)."""

    def share(self, path: Path) -> None:
        """Let others see a file below the root that was written; in a folder they always do."""

    def list_folder(self, name: str) -> list[Path]:
        """Return the files of a folder below the root, sorted and up to date."""
        return sorted((self.root / name).glob("[!.]*"))

    def files(self) -> list[Path]:
        """Return the files of all final artifacts."""
        return sorted(self.root.glob("stage=*/pack_id=*/*.parquet"))


def read_artifact(path: Path) -> Artifact | None:
    """Return the artifact whose main table is this file; None when it, or a table beside it, is missing or damaged."""
    facts = read_facts(path)
    if facts is None or path.name != f"{facts['key']}.parquet":
        return None
    artifact = Artifact(
        stage=facts["stage"],
        key=facts["key"],
        path=path,
        main=facts["main"],
        rows=facts["rows"],
        siblings=facts["siblings"],
        final=facts["final"],
    )
    whole = all(digest_of_file(artifact.file_of(name)) == expected for name, expected in artifact.siblings.items())
    return artifact if whole else None


def discard(artifact: Artifact) -> None:
    """Remove an artifact, its main file first, so that it is absent from the first moment on.

    Raises:
        StoreError: when the file system refuses.
    """
    try:
        for table in (artifact.main, *artifact.siblings):
            artifact.file_of(table).unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(f"cannot remove the {artifact.stage} artifact {artifact.path}: {error}") from error


def table_files(path: Path) -> dict[str, Path]:
    """Return table -> file of the artifact with this main file; empty when it cannot be read or is none."""
    facts = read_facts(path)
    if facts is None or path.name != f"{facts['key']}.parquet":
        return {}
    siblings = {name: path.with_name(f"{facts['key']}.{name}.parquet") for name in facts["siblings"]}
    return {facts["main"]: path, **{name: file for name, file in siblings.items() if file.exists()}}


def read_parts(path: Path) -> dict[str, Any] | None:
    """Return the key parts that an artifact was made from, or None when the file cannot be read."""
    facts = read_facts(path)
    return None if facts is None else facts["parts"]


def read_table(artifact: Artifact, table: str) -> pa.Table | None:
    """Return one table of an artifact, whole: for short ones. None when the artifact has no such table.

    Raises:
        StoreError: when the file cannot be read.
    """
    if not _has(artifact, table):
        return None
    try:
        with pq.ParquetFile(artifact.file_of(table), page_checksum_verification=True) as file:
            return file.read()
    except (OSError, pa.ArrowException) as error:
        raise StoreError(
            f"cannot read table {table} of the {artifact.stage} artifact {artifact.path}: {error}"
        ) from error


def read_rows(artifact: Artifact, table: str) -> TableRows:
    """Return the rows of one table of an artifact; nothing is read before they are asked for.

    Raises:
        StoreError: when the artifact has no such table; iterating raises it when the file cannot be read.
    """
    if not _has(artifact, table):
        raise StoreError(f"the {artifact.stage} artifact {artifact.path} has no table {table}")
    return TableRows.of_file(artifact.file_of(table))


def _has(artifact: Artifact, table: str) -> bool:
    return table == artifact.main or table in artifact.siblings


def read_facts(path: Path) -> dict[str, Any] | None:
    """Return what a main table's file says of its artifact, or None when the file cannot be read."""
    try:
        metadata = pq.read_metadata(path).metadata or {}
        facts: dict[str, Any] = json.loads(metadata[FACTS.encode()])
    except (OSError, pa.ArrowException, KeyError, ValueError):
        return None
    return facts


def _path_safe(pack_id: str) -> str:
    """Return a pack id as one path component, whatever it contains."""
    quoted = quote(pack_id, safe="", errors="surrogatepass")
    if len(quoted) > _LONGEST_ID or set(quoted) <= {"."}:
        return f"{quoted[:_LONGEST_ID].strip('.')}~{digest_bytes(pack_id.encode('utf-8', 'surrogatepass'))[:16]}"
    return quoted
