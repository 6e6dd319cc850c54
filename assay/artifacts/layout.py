"""What lies where in a store: each file, told apart by its place alone.

    stage=<name>/pack_id=<id>/<key>.parquet              main table of an artifact
    stage=<name>/pack_id=<id>/<key>.<table>.parquet      further table
    provisional/<run>/stage=<name>/...                   the same, of results that are never found by key
    runs/<id>/{run,batch,stages,stage-<name>}.json       records of the ledger
    batches/<id>.parquet                                 what a batch came to
    snapshots/<fingerprint>[-visible]/...                files of a pack
    snapshots/<fingerprint>.json                         what else its fingerprint is made of
    modules/<fingerprint>.json                           distributions that a pack's code imports
    prefect/<key>                                        Prefect's records
    .<anything>.tmp, snapshots/.<anything>               being written, or left by a process that died

Whoever cares for a store (`care`, `cleaning`) looks at it through `list_files` and nothing else.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

Kind: TypeAlias = Literal["main", "table", "record", "snapshot", "modules", "prefect", "temporary", "unknown"]

STAGE_PREFIX: Final = "stage="
PACK_PREFIX: Final = "pack_id="
PROVISIONAL: Final = "provisional"
RUNS: Final = "runs"
SNAPSHOTS: Final = "snapshots"
MODULES: Final = "modules"

YOUNG_S: Final = 3600
"""Files younger than this may belong to somebody who is still writing."""

_TABLE_FILE: Final = re.compile(r"(?P<key>[0-9a-f]{64})(?:\.(?P<table>\w+))?\.parquet")
_RECORD_FILE: Final = re.compile(r"(?:run|batch|stages|stage-\w+)\.json")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFile:
    """One file of a store.

    Attributes:
        path: relative to the root, with forward slashes.
        kind: what it is, by its place.
        size: in bytes.
        modified: seconds since the epoch.
        stage: for tables, the stage whose folder it lies in.
        pack: for tables, the name of the pack's folder.
        key: for tables and Prefect's records, the key in its name.
        run: for records and provisional tables, the run.
        name: for what belongs to a snapshot or names modules, the fingerprint as it stands there.
    """

    path: str
    kind: Kind
    size: int = 0
    modified: float = 0.0
    stage: str | None = None
    pack: str | None = None
    key: str | None = None
    run: str | None = None
    name: str | None = None


def list_files(root: Path) -> Iterator[StoredFile]:
    """Yield the files of a store, by path. What vanishes meanwhile is left out; links are not followed.

    Raises:
        OSError: when the root cannot be listed.
    """
    with os.scandir(root):  # says what is wrong with the root, which walking would pass over
        pass
    for parent, folders, names in os.walk(root):
        folders.sort()
        for name in sorted(names):
            path = Path(parent) / name
            try:
                facts = path.lstat()
            except FileNotFoundError:
                continue
            place = file_at(path.relative_to(root).as_posix())
            yield replace(place, size=facts.st_size, modified=facts.st_mtime)


def file_at(path: str) -> StoredFile:
    """Tell what a file is by its path relative to the root."""
    first, *parts = PurePosixPath(path).parts
    name = parts[-1] if parts else first
    if name.startswith(".") and name.endswith(".tmp"):
        return StoredFile(kind="temporary", path=path)
    if first.startswith(STAGE_PREFIX):
        found = _table(path, None, [first, *parts])
    else:
        found = _PLACES[first](path, parts) if first in _PLACES else None
    return found or StoredFile(kind="unknown", path=path)


def place_of(path: str) -> str | None:
    """Return where an artifact that the ledger names lies in the store, wherever the store was at that time.

    None when the path names no artifact.
    """
    parts = PurePosixPath(path).parts
    for length in (5, 3):
        place = "/".join(parts[-length:])
        if len(parts) >= length and file_at(place).kind == "main":
            return place
    return None


def _table(path: str, run: str | None, parts: Sequence[str]) -> StoredFile | None:
    if len(parts) != 3 or not parts[0].startswith(STAGE_PREFIX) or not parts[1].startswith(PACK_PREFIX):
        return None
    found = _TABLE_FILE.fullmatch(parts[2])
    if found is None:
        return None
    return StoredFile(
        kind="main" if found["table"] is None else "table",
        path=path,
        stage=parts[0].removeprefix(STAGE_PREFIX),
        pack=parts[1].removeprefix(PACK_PREFIX),
        key=found["key"],
        run=run,
    )


def _provisional(path: str, parts: Sequence[str]) -> StoredFile | None:
    return _table(path, parts[0], parts[1:]) if parts else None


def _record(path: str, parts: Sequence[str]) -> StoredFile | None:
    if len(parts) != 2 or not _RECORD_FILE.fullmatch(parts[1]):
        return None
    return StoredFile(kind="record", path=path, run=parts[0])


def _batch(path: str, parts: Sequence[str]) -> StoredFile | None:
    if len(parts) != 1 or not parts[0].endswith(".parquet"):
        return None
    return StoredFile(kind="record", path=path, run=parts[0].removesuffix(".parquet"))


def _snapshot(path: str, parts: Sequence[str]) -> StoredFile | None:
    if not parts:
        return None
    if parts[0].startswith("."):
        return StoredFile(kind="temporary", path=path, name=parts[0])
    return StoredFile(kind="snapshot", path=path, name=parts[0] if len(parts) > 1 else parts[0].removesuffix(".json"))


def _modules(path: str, parts: Sequence[str]) -> StoredFile | None:
    if len(parts) != 1 or not parts[0].endswith(".json"):
        return None
    return StoredFile(kind="modules", path=path, name=parts[0].removesuffix(".json"))


def _prefect_record(path: str, parts: Sequence[str]) -> StoredFile | None:
    return StoredFile(kind="prefect", path=path, key=parts[0]) if len(parts) == 1 else None


_PLACES: Final[Mapping[str, Callable[[str, Sequence[str]], StoredFile | None]]] = {
    PROVISIONAL: _provisional,
    RUNS: _record,
    "batches": _batch,
    SNAPSHOTS: _snapshot,
    MODULES: _modules,
    "prefect": _prefect_record,
}
