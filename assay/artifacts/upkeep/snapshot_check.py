"""Checking what a store keeps of packs: their snapshots, and the modules that their code imports."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from assay.artifacts.layout import SNAPSHOTS
from assay.artifacts.upkeep.faults import Fault
from assay.pack.snapshot import holds_its_identity

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from assay.artifacts.layout import StoredFile


def check_snapshots(root: Path, files: Sequence[StoredFile]) -> Iterator[Fault]:
    """Yield the snapshots that are not what their name says."""
    names = {file.name for file in files if file.kind == "snapshot" and file.path != f"{SNAPSHOTS}/{file.name}.json"}
    for name in sorted(name for name in names if name is not None):
        path = f"{SNAPSHOTS}/{name}"
        try:
            holds = holds_its_identity(root / path)
        except OSError as error:
            yield Fault(kind="damaged_snapshot", path=path, message=f"It cannot be read: {error.strerror}.")
            continue
        if holds is None:
            message = "What its fingerprint is made of, besides the files, is not known."
            yield Fault(kind="unchecked_snapshot", path=path, message=message)
        elif not holds:
            yield Fault(kind="damaged_snapshot", path=path, message="Its files are not those that its name stands for.")


def check_modules(root: Path, files: Sequence[StoredFile]) -> Iterator[Fault]:
    """Yield the lists of modules that cannot be read."""
    for file in files:
        if file.kind == "modules" and not _is_list_of_names(root / file.path):
            yield Fault(kind="damaged_modules", path=file.path, message="It is no list of names of distributions.")


def _is_list_of_names(path: Path) -> bool:
    try:
        names = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(names, list) and all(isinstance(name, str) for name in names)
