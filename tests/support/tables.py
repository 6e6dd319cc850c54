"""The tables of a store as bytes, to hold two stores against each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def tables_below(root: Path) -> dict[str, bytes]:
    """Return path below the root -> bytes, of every file of every final artifact."""
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(root.glob("stage=*/*/*.parquet"))}
