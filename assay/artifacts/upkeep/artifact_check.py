"""Checking one artifact: does it say what it is, is it that, and can all of it be read?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from assay.artifacts.keys import KeyParts
from assay.artifacts.store import digest_of_file, read_facts
from assay.artifacts.upkeep.faults import Fault

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from assay.artifacts.layout import StoredFile


def check_artifact(root: Path, main: StoredFile) -> Iterator[Fault]:
    """Yield what is wrong with the artifact whose main table lies there."""
    path = root / main.path
    facts = read_facts(path)
    key = None if facts is None else _key_of_parts(facts)
    if facts is None or key is None:
        yield Fault(
            kind="unreadable_artifact", path=main.path, message="It is torn, or no table that assay has written."
        )
        return
    identity = _identity_fault(main, facts, key)
    if identity is not None:
        yield identity
        return
    yield from _table_faults(path, main.path, facts)


def _key_of_parts(facts: Mapping[str, Any]) -> str | None:
    try:
        return KeyParts(**facts["parts"]).key
    except (KeyError, TypeError, ValueError):
        return None


def _identity_fault(main: StoredFile, facts: Mapping[str, Any], key: str) -> Fault | None:
    """Return why the file is not the artifact that its place and name say."""
    if facts["key"] != key:
        message = f"It is kept under the key {_short(facts['key'])}, but its parts give {_short(key)}."
        return Fault(kind="wrong_key", path=main.path, message=message)
    if key != main.key:
        message = f"It holds the artifact {_short(key)} of stage {facts['stage']}, not the one that its name says."
        return Fault(kind="wrong_name", path=main.path, message=message)
    if facts["stage"] != main.stage:
        message = f"It belongs to stage {facts['stage']}, but lies in the folder of stage {main.stage}."
        return Fault(kind="wrong_place", path=main.path, message=message)
    return None


def _table_faults(path: Path, shown: str, facts: Mapping[str, Any]) -> Iterator[Fault]:
    """Yield what is wrong with the tables of an artifact, each read from end to end."""
    for table, rows in facts["rows"].items():
        is_main = table == facts["main"]
        file = path if is_main else path.with_name(f"{path.stem}.{table}.parquet")
        place = shown if is_main else shown.replace(path.name, file.name)
        digest = None if is_main else digest_of_file(file)
        if not is_main and digest is None:
            yield Fault(kind="missing_table", path=place, message=f"Table {table} of this artifact is not there.")
        elif not is_main and digest != facts["siblings"][table]:
            message = f"Its SHA-256 is {_short(digest)}; the main table says {_short(facts['siblings'][table])}."
            yield Fault(kind="damaged_table", path=place, message=message)
        else:
            why = _why_unreadable(file, rows)
            if why is not None:
                yield Fault(kind="damaged_table", path=place, message=why)


def _why_unreadable(file: Path, rows: int) -> str | None:
    """Read a table to its end; return what is wrong with it."""
    try:
        with pq.ParquetFile(file, page_checksum_verification=True) as opened:
            found = sum(batch.num_rows for batch in opened.iter_batches())
    except (OSError, pa.ArrowException):
        return "A page of it does not agree with its checksum, or cannot be read."
    return None if found == rows else f"It has {found} rows; {rows} were written."


def _short(digest: object) -> str:
    return str(digest)[:12]
