"""What an artifact is, and how a store fails."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

FINDINGS: Final = "findings"


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
