"""How much room a store takes, by stage and pack."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from assay.artifacts.layout import StoredFile


@dataclass(frozen=True, slots=True)
class Sizes:
    """Bytes of a set of files.

    Attributes:
        tables: (stage, folder of the pack) -> bytes of its artifacts.
        artifacts: (stage, folder of the pack) -> how many artifacts, provisional ones included.
        others: kind of file -> bytes, for all that is no table.
    """

    tables: Counter[tuple[str, str]] = field(default_factory=Counter)
    artifacts: Counter[tuple[str, str]] = field(default_factory=Counter)
    others: Counter[str] = field(default_factory=Counter)

    @property
    def total(self) -> int:
        """All bytes together."""
        return self.tables.total() + self.others.total()

    def add(self, file: StoredFile) -> None:
        """Count a file."""
        if file.stage is None or file.pack is None:
            self.others[file.kind] += file.size
            return
        self.tables[file.stage, file.pack] += file.size
        self.artifacts[file.stage, file.pack] += file.kind == "main"

    def to_json(self) -> dict[str, Any]:
        """Return the sizes as a JSON object."""
        rows = [
            {"stage": stage, "pack": pack, "artifacts": self.artifacts[stage, pack], "bytes": size}
            for (stage, pack), size in sorted(self.tables.items())
        ]
        return {"total_bytes": self.total, "tables": rows, "others": dict(sorted(self.others.items()))}


def sizes_of(files: Iterable[StoredFile]) -> Sizes:
    """Return the sizes of files."""
    sizes = Sizes()
    for file in files:
        sizes.add(file)
    return sizes
