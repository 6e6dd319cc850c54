"""Stores for tests: what a run left in one, aged and damaged at will."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from assay.runner import RunRequest, carry_out

if TYPE_CHECKING:
    from pathlib import Path

DAY_S = 24 * 3600


def run_once(pack: Path, root: Path, **options) -> tuple[str, set[str]]:
    """Carry out a request; return the run's id and the stages that were computed."""
    request = RunRequest(pack=str(pack), root=str(root), **options)
    computed = []
    carry_out(request, lambda each: None if each.cached else computed.append(each.stage))
    return request.run_id, set(computed)


def main_file(root: Path, stage: str) -> Path:
    """Return the one main file of a stage."""
    (path,) = [each for each in (root / f"stage={stage}").rglob("*.parquet") if each.stem.count(".") == 0]
    return path


def tables_of(root: Path) -> dict[str, bytes]:
    """Return path -> bytes of everything that is no history: all final artifacts."""
    return {str(path.relative_to(root)): path.read_bytes() for path in root.glob("stage=*/pack_id=*/*.parquet")}


def age(root: Path, seconds: float) -> None:
    """Let everything in a store be that old."""
    then = time.time() - seconds
    for path in root.rglob("*"):
        os.utime(path, (then, then), follow_symlinks=False)
