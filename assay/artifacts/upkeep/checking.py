"""Checking a store: is everything that it holds whole, and does the ledger agree with it?

Nothing is changed and nothing locked: what a run writes meanwhile may be seen half, so what is young is given time, and
runs that are under way are not asked for what they have not written yet. Every artifact is read from end to end, in
pieces, so memory does not grow with it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.artifacts.layout import YOUNG_S
from assay.artifacts.upkeep.artifact_check import check_artifact
from assay.artifacts.upkeep.faults import Fault
from assay.artifacts.upkeep.ledger_check import check_ledger
from assay.artifacts.upkeep.premises import premises_of
from assay.artifacts.upkeep.sizes import Sizes, sizes_of
from assay.artifacts.upkeep.snapshot_check import check_modules, check_snapshots

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from assay.artifacts.layout import StoredFile
    from assay.artifacts.upkeep.premises import Premises


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspection:
    """What a look at a whole store found.

    Attributes:
        faults: by path.
        artifacts: how many were read.
        runs: how many the ledger holds.
        sizes: of everything.
    """

    faults: tuple[Fault, ...]
    artifacts: int
    runs: int
    sizes: Sizes

    @property
    def harm(self) -> bool:
        """Something is lost or wrong; leftovers alone do not count."""
        return any(each.harm for each in self.faults)

    def to_json(self) -> dict[str, Any]:
        """Return the inspection as a JSON object."""
        return {
            "artifacts": self.artifacts,
            "runs": self.runs,
            "faults": [each.to_json() for each in self.faults],
            "sizes": self.sizes.to_json(),
        }


def check_store(root: Path | Premises, observe: Callable[[int, int], None] | None = None) -> Inspection:
    """Look at everything in a store.

    Args:
        root: the store, or the folder that it is.
        observe: told how many artifacts have been read, and how many there are.

    Raises:
        OSError: when the store cannot be listed.
    """
    premises = premises_of(root)
    files = premises.files()
    premises.bring(files)
    mains = [file for file in files if file.kind == "main"]
    faults: list[Fault] = []
    for number, main in enumerate(mains, start=1):
        faults.extend(check_artifact(premises.root, main))
        if observe is not None:
            observe(number, len(mains))
    faults.extend(_stray_files(files, time.time()))
    faults.extend(check_ledger(premises, files, time.time()))
    if premises.keeps_snapshots:
        faults.extend(check_snapshots(premises.root, files))
    faults.extend(check_modules(premises.root, files))
    return Inspection(
        faults=tuple(sorted(faults, key=lambda each: (each.path, each.kind, each.message))),
        artifacts=len(mains),
        runs=len({file.run for file in files if file.kind == "record"}),
        sizes=sizes_of(files),
    )


def _stray_files(files: Sequence[StoredFile], now: float) -> Iterator[Fault]:
    """Yield what belongs to nothing, unless it is so young that it may still come to belong to something."""
    complete = {(file.run, file.stage, file.pack, file.key) for file in files if file.kind == "main"}
    for file in files:
        if now - file.modified < YOUNG_S:
            continue
        if file.kind == "unknown":
            yield Fault(kind="unknown_file", path=file.path, message="This file is no part of a store.")
        elif file.kind == "temporary":
            yield Fault(kind="temporary_file", path=file.path, message="Somebody began to write it and died.")
        elif file.kind == "table" and (file.run, file.stage, file.pack, file.key) not in complete:
            yield Fault(kind="unused_table", path=file.path, message="The main table that it belongs to is not there.")
