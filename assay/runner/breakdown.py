"""What a stage leaves when a bug of ours kept it from being done."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import TYPE_CHECKING

from assay.findings import finding
from assay.pipeline import StageOutput

if TYPE_CHECKING:
    from assay.findings import Finding
    from assay.pipeline import Stage


def broken_down(stage: Stage, error: Exception) -> StageOutput:
    """Return the output of a stage that a bug of ours kept from being done; its tables stay empty."""
    return StageOutput(findings=(internal_error(stage, error),), final=False)


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
