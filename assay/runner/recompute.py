"""Holding a recomputed artifact against the one in the store.

`assay retry --from STAGE` computes stages again although their artifacts are there. Same key, same bytes: a difference
means that something decided a result which is no part of its key. That is a fault of ours, and trying again does not
help: it ends the run. What the store had stays there, because other artifacts rest on it; the new one stays with its
run, for whoever looks into it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.artifacts.store import Store, digest_of_file, discard
from assay.runner.errors import NotReproducible

if TYPE_CHECKING:
    from assay.artifacts.store import Artifact


def aside(store: Store, run_id: str) -> Store:
    """Return the store that keeps what a run recomputed, out of the way of the real one."""
    return Store(store.root / "provisional" / run_id)


def require_same_bytes(kept: Artifact, again: Artifact) -> None:
    """Discard a recomputed artifact that is the same as the one in the store.

    Raises:
        NotReproducible: when any table differs; both artifacts stay where they are.
        StoreError: when the one that is not needed cannot be removed.
    """
    differing = [table for table in sorted(kept.rows.keys() | again.rows.keys()) if not _same(kept, again, table)]
    if differing:
        told = "; ".join(
            f"{table}: {_short(kept, table)} in the store, {_short(again, table)} now" for table in differing
        )
        raise NotReproducible(
            f"stage {kept.stage} is not reproducible: from the same key {kept.key[:12]} other bytes came out "
            f"({told}). The store keeps what it had; what came out now is {again.path}"
        )
    discard(again)


def _same(kept: Artifact, again: Artifact, table: str) -> bool:
    return _digest(kept, table) == _digest(again, table)


def _short(artifact: Artifact, table: str) -> str:
    found = _digest(artifact, table)
    return "nothing" if found is None else f"sha256 {found[:16]}"


def _digest(artifact: Artifact, table: str) -> str | None:
    return digest_of_file(artifact.file_of(table)) if table in artifact.rows else None
