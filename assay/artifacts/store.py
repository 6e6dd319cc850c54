"""The content-addressed store of artifacts.

An artifact is the tables of one stage under one key:

    <root>/stage=<name>/pack_id=<id>/<key>.parquet            the stage's main table
    <root>/stage=<name>/pack_id=<id>/<key>.<table>.parquet    its further tables, and its findings if there are any

Every file is written under a temporary name, flushed and renamed, and the main table comes last: it holds the digests
of the others in its metadata, so an artifact exists exactly when its main table does and agrees with them. A file
that is missing, torn or not what the main table says makes the artifact absent; it is then computed again, never half
read. Many writers may write the same key at once: they write the same bytes.

A result that rests on a deadline or a dead worker is *provisional* (ruling 40). It is kept under its run, for the later
stages of that run, and is never found again by key.
"""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pyarrow as pa
import pyarrow.parquet as pq

from assay.values import canonical_json, digest_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from assay.artifacts.keys import KeyParts

_LONGEST_ID = 80
FINDINGS = "findings"


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """A complete artifact in a store.

    Attributes:
        stage: the stage that made it.
        key: its content key.
        path: file of the main table.
        main: name of the main table.
        rows: table -> number of rows, all tables.
        siblings: further table -> SHA-256 of its file.
        final: False for a provisional result.
    """

    stage: str
    key: str
    path: Path
    main: str
    rows: Mapping[str, int]
    siblings: Mapping[str, str] = field(repr=False)
    final: bool = True

    def file_of(self, table: str) -> Path:
        """Return the file that holds a table."""
        return self.path if table == self.main else self.path.with_name(f"{self.key}.{table}.parquet")


class StoreError(Exception):
    """The store itself failed: no space, no permission, a damaged file that was readable a moment ago."""


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

    def write(
        self,
        parts: KeyParts,
        pack_id: str,
        tables: Mapping[str, pa.Table],
        *,
        provisional_run: str | None = None,
    ) -> Artifact:
        """Write an artifact whole. The first table is the main one; empty findings are left out.

        Raises:
            StoreError: when the file system refuses; nothing readable is left behind then.
        """
        main, *others = [name for name in tables if name != FINDINGS or tables[name].num_rows]
        folder = self.folder(parts.stage, pack_id, provisional_run)
        rows = {name: tables[name].num_rows for name in (main, *others)}
        key = parts.key
        try:
            folder.mkdir(parents=True, exist_ok=True)
            siblings = {
                name: digest_bytes(_write_whole(folder / f"{key}.{name}.parquet", tables[name])) for name in others
            }
            facts = {
                "stage": parts.stage,
                "key": key,
                "main": main,
                "rows": rows,
                "siblings": siblings,
                "final": provisional_run is None,
                "parts": parts.to_json(),
            }
            _write_whole(folder / f"{key}.parquet", tables[main], facts)
        except OSError as error:
            raise StoreError(
                f"cannot write the {parts.stage} artifact in {folder}: {error.strerror or error}"
            ) from error
        return Artifact(
            stage=parts.stage,
            key=key,
            path=folder / f"{key}.parquet",
            main=main,
            rows=rows,
            siblings=siblings,
            final=provisional_run is None,
        )


def read_artifact(path: Path) -> Artifact | None:
    """Return the artifact whose main table is this file; None when it, or a table beside it, is missing or damaged."""
    facts = _facts(path)
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
    whole = all(_digest_of(artifact.file_of(name)) == expected for name, expected in artifact.siblings.items())
    return artifact if whole else None


def table_files(path: Path) -> dict[str, Path]:
    """Return table -> file of the artifact with this main file; empty when it cannot be read or is none."""
    facts = _facts(path)
    if facts is None or path.name != f"{facts['key']}.parquet":
        return {}
    siblings = {name: path.with_name(f"{facts['key']}.{name}.parquet") for name in facts["siblings"]}
    return {facts["main"]: path, **{name: file for name, file in siblings.items() if file.exists()}}


def read_parts(path: Path) -> dict[str, Any] | None:
    """Return the key parts that an artifact was made from, or None when the file cannot be read."""
    facts = _facts(path)
    return None if facts is None else facts["parts"]


def read_table(artifact: Artifact, table: str) -> pa.Table | None:
    """Return one table of an artifact; None when the artifact has no such table (no findings, for instance).

    Raises:
        StoreError: when the file cannot be read.
    """
    if table != artifact.main and table not in artifact.siblings:
        return None
    try:
        with pq.ParquetFile(artifact.file_of(table), page_checksum_verification=True) as file:
            return file.read()
    except (OSError, pa.ArrowException) as error:
        raise StoreError(
            f"cannot read table {table} of the {artifact.stage} artifact {artifact.path}: {error}"
        ) from error


def _facts(path: Path) -> dict[str, Any] | None:
    try:
        metadata = pq.read_schema(path).metadata or {}
        facts: dict[str, Any] = json.loads(metadata[b"assay.artifact"])
    except (OSError, pa.ArrowException, KeyError, ValueError):
        return None
    return facts


def _digest_of(path: Path) -> str | None:
    try:
        return digest_bytes(path.read_bytes())
    except OSError:
        return None


def _write_whole(path: Path, table: pa.Table, facts: Mapping[str, Any] | None = None) -> bytes:
    """Write a Parquet file under a temporary name, flush it, rename it; return its bytes."""
    if facts is not None:
        metadata = {**(table.schema.metadata or {}), b"assay.artifact": canonical_json(facts)}
        table = table.replace_schema_metadata(metadata)
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd", write_page_checksum=True)
    data: bytes = sink.getvalue().to_pybytes()
    write_whole(path, data)
    return data


def write_whole(path: Path, data: bytes) -> None:
    """Put bytes in a file so that a reader sees all of them or none.

    Raises:
        OSError: when the file system refuses; the temporary file is removed then.
    """
    temporary = path.with_name(f".{path.name[:40]}.{secrets.token_hex(8)}.tmp")
    try:
        with temporary.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise


def _path_safe(pack_id: str) -> str:
    """Return a pack id as one path component, whatever it contains."""
    quoted = quote(pack_id, safe="", errors="surrogatepass")
    if len(quoted) > _LONGEST_ID or set(quoted) <= {"."}:
        return f"{quoted[:_LONGEST_ID].strip('.')}~{digest_bytes(pack_id.encode('utf-8', 'surrogatepass'))[:16]}"
    return quoted
