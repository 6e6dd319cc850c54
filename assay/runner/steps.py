"""The steps of a run, each by itself: for whoever lets every stage land in a process of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.oracle.engine import EngineUnavailable
from assay.pipeline import stage_named
from assay.runner.run import Run, StageCrash

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.checks.report import Report
    from assay.runner.request import ArtifactRef, RunRequest


def begin(request: RunRequest) -> None:
    """Open a run in the ledger, before its first stage.

    Raises:
        StageCrash: when nothing can be written there.
    """
    with Run(request) as run:
        run.begin()


def execute_stage(request: RunRequest, name: str, upstream: Mapping[str, ArtifactRef]) -> ArtifactRef:
    """Execute one stage of a run in this process, whatever process the stages before it ran in.

    Raises:
        StageCrash: for a fault of the machine.
        ConfigError: when the run config cannot be used.
    """
    with Run(request) as run:
        return run.execute(stage_named(name), upstream)


def stage_key(request: RunRequest, name: str, upstream: Mapping[str, ArtifactRef]) -> str:
    """Return the content key of a stage's artifact without computing the artifact.

    Raises:
        StageCrash: when the pack cannot be read now.
        ConfigError: when the run config cannot be used.
    """
    with Run(request) as run:
        try:
            return run.key_parts(stage_named(name), upstream).key
        except (OSError, EngineUnavailable) as error:
            raise StageCrash(f"the key of stage {name} cannot be computed: {error}") from error


def finish(request: RunRequest, references: Mapping[str, ArtifactRef]) -> Report:
    """Assemble the report of a run whose stages have all been executed, write its views, close it in the ledger.

    Raises:
        StageCrash: when an artifact is gone or nothing can be written.
        ConfigError: when the run config cannot be used.
    """
    with Run(request) as run:
        return run.finish(references)
