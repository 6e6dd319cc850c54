"""Cleaning a store: old runs, and what only they refer to.

A run is kept when it is young enough, when it is among the newest of its pack, when it is the newest of its pack that
came to a verdict (that is the one which queries show), or when it may still be under way. What a kept run refers to is
kept: its artifacts, provisional ones too, the snapshot of its pack, the names of the modules that the pack imports.

Cleaning may go on while others write:

* Files younger than an hour are never touched, whoever they belong to.
* A run under way may be served what no record names yet. So all artifacts of its pack are kept (while it is not known
  which pack that is, all artifacts of all packs), and all snapshots with what belongs to them.
* Records go first and artifacts after them, each artifact by its main file first: whenever cleaning is cut short, what
  is still there is whole, and no record names anything that is gone.

Should an artifact be lost that somebody wanted after all, it is computed again: the store is a cache.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from assay.artifacts.layout import PROVISIONAL, RUNS, YOUNG_S
from assay.artifacts.upkeep.premises import premises_of
from assay.artifacts.upkeep.retention import retained, runs_under_way
from assay.artifacts.upkeep.sizes import sizes_of

if TYPE_CHECKING:
    from pathlib import Path

    from assay.artifacts.layout import Kind, StoredFile
    from assay.artifacts.upkeep.premises import Premises
    from assay.artifacts.upkeep.retention import Policy, Retained, UnderWay
    from assay.artifacts.upkeep.sizes import Sizes

_RANKS: Final[dict[Kind, int]] = {"record": 0, "temporary": 2, "main": 3, "table": 4}
_SHARED_RANK: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleaning:
    """What is to be removed, or was.

    Attributes:
        policy: what it follows.
        now: the moment it is decided for, in seconds since the epoch.
        runs: ids of the runs and batches that go.
        kept: how many stay.
        under_way: how many of those are under way.
        files: what goes, in the order in which it goes.
    """

    policy: Policy
    now: float
    runs: tuple[str, ...]
    kept: int
    under_way: int
    files: tuple[StoredFile, ...]

    @property
    def freed(self) -> Sizes:
        """The room that it takes."""
        return sizes_of(self.files)


def plan_cleaning(root: Path | Premises, policy: Policy, now: float | None = None) -> Cleaning:
    """Decide what a policy lets go. Nothing is touched.

    Args:
        root: the store, or the folder that it is.
        policy: how much is kept.
        now: seconds since the epoch; the present when omitted.

    Raises:
        OSError: when the store cannot be listed.
    """
    now = time.time() if now is None else now
    premises = premises_of(root)
    files = premises.files()  # before the ledger is read, so that what is recorded between the two is kept
    premises.bring(file for file in files if file.kind == "main" and file.stage == "load")  # they name their packs
    ledger = premises.ledger()
    under_way = runs_under_way(ledger, now)
    stays = retained(ledger, policy, now)
    young = {file.path for file in files if now - file.modified < YOUNG_S}
    recorded = {file.run: None for file in files if file.kind == "record" and file.run is not None}
    written_to = {file.run for file in files if file.kind == "record" and file.path in young}
    going = frozenset(run for run in recorded if run not in stays.runs and run not in written_to)
    choice = _Choice(stays, frozenset(recorded) - going, under_way)
    gone = sorted((file for file in files if file.path not in young and choice.goes(file)), key=_order)
    return Cleaning(
        policy=policy,
        now=now,
        runs=tuple(sorted(going)),
        kept=len(recorded) - len(going),
        under_way=len(under_way.runs),
        files=tuple(gone),
    )


def clean(root: Path | Premises, cleaning: Cleaning) -> Cleaning:
    """Remove what was planned, but for what a run that began meanwhile may use or has used; return what was removed.

    Raises:
        OSError: when the file system refuses; what has not been removed by then stays whole.
    """
    premises = premises_of(root)
    own = [file for file in cleaning.files if not _is_shared(file)]
    premises.remove(own)
    for run in cleaning.runs:
        premises.remove_empty_folders(f"{RUNS}/{run}")
    for run in {file.run for file in own if file.run is not None}:
        premises.remove_empty_folders(f"{PROVISIONAL}/{run}")
    again = plan_cleaning(premises, cleaning.policy, cleaning.now)
    still = {file.path for file in again.files}
    shared = [file for file in cleaning.files if _is_shared(file) and file.path in still]
    premises.remove(shared)
    return replace(cleaning, files=(*own, *shared), under_way=again.under_way)


@dataclass(frozen=True, slots=True)
class _Choice:
    """Says which of the old files go."""

    stays: Retained
    runs: frozenset[str]
    under_way: UnderWay

    def goes(self, file: StoredFile) -> bool:
        """Say whether a file that is old enough goes."""
        if file.kind == "unknown":
            return False
        if file.kind == "temporary":
            return True
        if not _is_shared(file):
            return file.run not in self.runs
        return not self._is_needed(file) and not _may_be_in_use(file, self.under_way)

    def _is_needed(self, file: StoredFile) -> bool:
        if file.kind == "prefect":
            return file.key in self.stays.keys
        if file.stage is not None:
            return (file.stage, file.pack, file.key) in self.stays.artifacts
        return (file.name or "").removesuffix("-visible") in self.stays.fingerprints


def _is_shared(file: StoredFile) -> bool:
    """Say whether runs other than the one that left it may be using a file."""
    return file.run is None and file.kind not in {"temporary", "unknown"}


def _may_be_in_use(file: StoredFile, under_way: UnderWay) -> bool:
    return under_way.may_use(file.pack) if file.stage is not None else bool(under_way.runs)


def _order(file: StoredFile) -> tuple[int, str]:
    """Put stages before their run, main tables before the others: cut short anywhere, what is left is whole."""
    closes_a_run = file.kind == "record" and not file.path.rpartition("/")[2].startswith("stage")
    return _RANKS.get(file.kind, _SHARED_RANK) + closes_a_run, file.path
