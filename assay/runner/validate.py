"""The direct road: all stages in this process, one after the other. No server, about a second."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from assay.pipeline import PIPELINE
from assay.runner.request import ArtifactRef, RunRequest
from assay.runner.run import Run

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.checks.report import Report

Observer = "Callable[[ArtifactRef], None]"


def carry_out(request: RunRequest, observe: Callable[[ArtifactRef], None] | None = None) -> Report:
    """Carry out a request and return its report.

    Args:
        request: what to run.
        observe: told of each stage as it ends.

    Raises:
        StageCrash: for a fault of the machine.
        ConfigError: when the run config cannot be used.
    """
    references: dict[str, ArtifactRef] = {}
    with Run(request) as run:
        run.begin()
        for stage in PIPELINE:
            references[stage.name] = run.execute(stage, references)
            if observe is not None:
                observe(references[stage.name])
        return run.finish(references)


def validate(pack: str | Path, *, root: str | Path | None = None, exhaustive: bool = False) -> Report:
    """Prove a pack and return the report: `from assay import validate`.

    Args:
        pack: a pack folder, its manifest, or a run config that names one.
        root: artifact store to keep the results in; without one they are thrown away.
        exhaustive: prove every instance, not one representative of each template.

    Raises:
        StageCrash: for a fault of the machine.
        ConfigError: when the run config cannot be used.
    """
    path = Path(pack).absolute()
    if root is not None:
        return carry_out(RunRequest(pack=str(path), root=str(Path(root).absolute()), exhaustive=exhaustive))
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        return carry_out(RunRequest(pack=str(path), root=folder, exhaustive=exhaustive))
