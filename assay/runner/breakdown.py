"""What a stage leaves when there is nothing to do, or when a bug of ours kept it from being done."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import TYPE_CHECKING

from assay.artifacts import tables
from assay.artifacts.codec import make_table
from assay.findings import finding
from assay.pipeline import StageOutput

if TYPE_CHECKING:
    from assay.findings import Finding
    from assay.pipeline import Stage


def nothing_found(stage: Stage, *findings: Finding) -> StageOutput:
    """Return an output whose tables are empty: there was nothing to do, or a bug of ours kept it from being done."""
    empty = {name: make_table(tables.ALL_TABLES[name], []) for name in stage.tables}
    return StageOutput(tables=empty, findings=findings, final=not findings)


def internal_error(stage: Stage, error: Exception) -> Finding:
    """Return the finding about a bug of ours; the trail names files and lines without their folders."""
    frames = traceback.extract_tb(error.__traceback__)
    innermost = frames[-1] if frames else None
    where = f"{Path(innermost.filename).name}:{innermost.lineno}" if innermost else "unknown"
    trail = [f"{Path(each.filename).name}:{each.lineno} {each.name}" for each in frames]
    return finding(
        "internal_error",
        f"stage {stage.name} of assay broke down: {type(error).__name__} at {where}",
        detail={"stage": stage.name, "error": f"{type(error).__name__}: {error}", "traceback": list(trail)},
    )
