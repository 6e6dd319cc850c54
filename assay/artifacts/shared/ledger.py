"""The run ledger of a shared root: records go to the shared place, and are read from the mirror once they are there."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from assay.artifacts.ledger import Ledger
from assay.artifacts.shared.place import SharedPlace, shared_place

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


@dataclass(frozen=True)
class SharedLedger(Ledger):
    """The runs below a shared root. Everything raises StoreError when the shared place does not answer."""

    place: SharedPlace

    @classmethod
    def at(cls, root: str) -> Self:
        """Return the ledger at a URL."""
        place = shared_place(root)
        return cls(place.mirror, place)

    def _write(self, run_id: str, name: str, facts: Mapping[str, Any]) -> None:
        self.place.put(self.folder(run_id) / name, json.dumps(facts, indent=2, sort_keys=True).encode())

    def read_run(self, run_id: str) -> dict[str, Any] | None:
        """Return what is known of a run, or None."""
        return super().read_run(run_id) if self.place.pull([self.folder(run_id) / "run.json"]) else None

    def read_stages(self, run_id: str) -> dict[str, dict[str, Any]]:
        """Return stage -> record of one run."""
        self.place.pull_tree(self.folder(run_id))
        return super().read_stages(run_id)

    def read_batch(self, batch_id: str) -> dict[str, Any] | None:
        """Return what is known of a batch, or None."""
        return super().read_batch(batch_id) if self.place.pull([self.folder(batch_id) / "batch.json"]) else None

    def runs(self) -> Iterator[dict[str, Any]]:
        """Yield the runs, newest first."""
        return self.at_hand().runs()

    def batches(self) -> Iterator[dict[str, Any]]:
        """Yield the batches, newest first."""
        return self.at_hand().batches()

    def at_hand(self) -> Ledger:
        """Return a copy of the ledger on this machine: one listing, and only what is new is fetched."""
        there = {path.parent for path in self.place.pull_tree(self.root / "runs")}
        runs = self.root / "runs"
        for gone in {*runs.iterdir()} - there if runs.is_dir() else ():
            shutil.rmtree(gone, ignore_errors=True)
        return Ledger(self.root)
