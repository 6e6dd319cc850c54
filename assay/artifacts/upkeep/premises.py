"""What a store is to whoever looks after it: files that can be listed, read and removed, and a ledger.

A store in a folder is just that. One in an object store is read through its mirror, into which every file is brought
before it is looked at; what is removed is removed there and here. Snapshots lie in mirrors only, each machine has those
of the packs that it has met, and they are none of the shared store's business.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from assay.artifacts.layout import SNAPSHOTS, file_at, list_files
from assay.artifacts.ledger import Ledger
from assay.artifacts.roots import is_shared, normal_root
from assay.pack.snapshot import remove_snapshot

if TYPE_CHECKING:
    from collections.abc import Iterable

    from assay.artifacts.layout import StoredFile
    from assay.artifacts.shared.place import SharedPlace


@dataclass(frozen=True, slots=True)
class Premises:
    """A store in a folder.

    Attributes:
        root: the folder that its files are read from.
    """

    root: Path

    @property
    def address(self) -> str:
        """How people name it."""
        return str(self.root)

    @property
    def keeps_snapshots(self) -> bool:
        """Whether the snapshots of all packs that its runs judged belong to it."""
        return True

    def exists(self) -> bool:
        """Say whether there is a store."""
        return self.root.is_dir()

    def files(self) -> list[StoredFile]:
        """Return all its files, by path.

        Raises:
            OSError: when they cannot be listed.
        """
        return list(list_files(self.root))

    def bring(self, files: Iterable[StoredFile]) -> None:
        """See to it that files can be read below `root`; in a folder they always can.

        Raises:
            OSError: when they cannot be fetched.
        """

    def ledger(self) -> Ledger:
        """Return its ledger, with all records at hand.

        Raises:
            OSError: when it cannot be fetched.
        """
        return Ledger(self.root)

    def remove(self, files: Iterable[StoredFile]) -> None:
        """Remove files, in this order, but snapshots last and each as a whole.

        Raises:
            OSError: when the file system refuses.
        """
        snapshots: dict[str, None] = {}
        for file in files:
            if file.path.startswith(f"{SNAPSHOTS}/") and file.name is not None:
                snapshots[file.name] = None
            else:
                (self.root / file.path).unlink(missing_ok=True)
        for name in snapshots:
            remove_snapshot(self.root / SNAPSHOTS / name)

    def remove_empty_folders(self, name: str) -> None:
        """Remove a folder and what is in it, as far as it is empty."""
        for parent, _, _ in os.walk(self.root / name, topdown=False):
            with suppress(OSError):
                Path(parent).rmdir()


@dataclass(frozen=True, slots=True)
class SharedPremises(Premises):
    """A store in an object store. Everything raises an OSError when that does not answer."""

    place: SharedPlace

    @property
    def address(self) -> str:
        """How people name it: without the options of its URL."""
        return self.place.address

    @property
    def keeps_snapshots(self) -> bool:
        """Whether the snapshots of all packs that its runs judged belong to it."""
        return False

    def exists(self) -> bool:
        """Say whether anything is there."""
        return bool(self.place.listing())

    def files(self) -> list[StoredFile]:
        """Return all its files, by path, with the size and age that they have there."""
        return [replace(file_at(name), size=size, modified=modified) for name, size, modified in self.place.listing()]

    def bring(self, files: Iterable[StoredFile]) -> None:
        """Bring files into the mirror."""
        self.place.pull([self.root / file.path for file in files])

    def ledger(self) -> Ledger:
        """Return a copy of its ledger."""
        from assay.artifacts.shared.ledger import SharedLedger  # noqa: PLC0415 - only for shared roots

        return SharedLedger(self.root, self.place).at_hand()

    def remove(self, files: Iterable[StoredFile]) -> None:
        """Remove files, in this order, there and from the mirror."""
        for file in files:
            self.place.remove(self.root / file.path)


def premises_of(store: Path | Premises) -> Premises:
    """Return the premises of a store that is named by its folder, or in full."""
    return Premises(store) if isinstance(store, Path) else store


def premises_at(root: str | Path) -> Premises:
    """Return the premises at a root.

    Raises:
        RootError: when it cannot be a root.
    """
    if not is_shared(root):
        return Premises(Path(normal_root(root)))
    from assay.artifacts.shared.place import shared_place  # noqa: PLC0415 - only for shared roots

    place = shared_place(normal_root(root))
    return SharedPremises(place.mirror, place)
