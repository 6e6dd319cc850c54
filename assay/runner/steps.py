"""The steps of a run, each by itself: for whoever lets every stage land in a process of its own."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

from assay.artifacts.ledger import PREFECT, now
from assay.artifacts.places import ledger_at
from assay.artifacts.store import StoreError
from assay.oracle.engine import EngineUnavailable
from assay.pipeline import PIPELINE, stage_named
from assay.runner.at_hand import RunsAtHand
from assay.runner.errors import StageCrash

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from assay.checks.report import Report
    from assay.runner.request import ArtifactRef, RunRequest
    from assay.runner.run import Run

_RUNS: Final = RunsAtHand()


def begin(request: RunRequest) -> None:
    """Open a run in the ledger, before its first stage.

    Raises:
        StageCrash: when nothing can be written there.
    """
    _RUNS.forget(request.run_id)
    with _open(request) as run:
        run.begin(PREFECT)


def close_without_verdict(request: RunRequest, error: str, *, road: str = PREFECT) -> None:
    """Close a run that came to no verdict, if the ledger can be written at all: the error itself must be told.

    Args:
        request: of the run.
        error: why there is no verdict.
        road: how it was carried out, in case it could not even be begun.
    """
    ledger = ledger_at(request.root)
    begun = ledger.read_run(request.run_id) or {"request": request.to_json(), "started": None, "road": road}
    with suppress(OSError):
        ledger.write_run(request.run_id, {**begun, "status": "error", "error": error, "finished": now().isoformat()})


def execute_stage(request: RunRequest, name: str, upstream: Mapping[str, ArtifactRef]) -> ArtifactRef:
    """Execute one stage of a run in this process, whatever process the stages before it ran in.

    Raises:
        StageCrash: for a fault of the machine.
        DeadlinePassed: when the time of the run is over.
        ConfigError: when the run config cannot be used.
    """
    with _open(request) as run:
        return run.execute(stage_named(name), upstream)


def serve(request: RunRequest) -> tuple[dict[str, ArtifactRef], Report] | None:
    """Carry out a begun run from the store alone, in one go; None when any artifact is missing.

    Nothing is recorded then but what `begin` has recorded: the stages are still to be executed.

    Returns:
        stage -> its artifact, and the report.

    Raises:
        StageCrash: when the pack cannot be read now, or the ledger or the views cannot be written.
        DeadlinePassed: when the time of the run is over.
        ConfigError: when the run config cannot be used.
    """
    with _open(request) as run:
        references = _found(run)
        return None if references is None else (references, run.finish(references))


def _found(run: Run) -> dict[str, ArtifactRef] | None:
    references: dict[str, ArtifactRef] = {}
    try:
        with run.deadline.enforced():
            for stage in PIPELINE:
                reference = run.find(stage, references)
                if reference is None:
                    return None
                references[stage.name] = reference
    except (OSError, StoreError, EngineUnavailable) as error:
        raise StageCrash(f"the store cannot be looked through: {error}") from error
    run.record.all_served(references.values())
    return references


def stage_key(request: RunRequest, name: str, upstream: Mapping[str, ArtifactRef]) -> str:
    """Return the content key of a stage's artifact without computing the artifact.

    Raises:
        StageCrash: when the pack cannot be read now.
        DeadlinePassed: when the time of the run is over.
        ConfigError: when the run config cannot be used.
    """
    with _open(request) as run:
        try:
            with run.deadline.enforced():
                return run.key_parts(stage_named(name), upstream).key
        except (OSError, EngineUnavailable) as error:
            raise StageCrash(f"the key of stage {name} cannot be computed: {error}") from error


def finish(request: RunRequest, references: Mapping[str, ArtifactRef]) -> Report:
    """Assemble the report of a run whose stages have all been executed, write its views, close it in the ledger.

    Raises:
        StageCrash: when an artifact is gone or nothing can be written.
        ConfigError: when the run config cannot be used.
    """
    with _open(request) as run:
        report = run.finish(references)
    _RUNS.forget(request.run_id)
    return report


@contextmanager
def _open(request: RunRequest) -> Iterator[Run]:
    """Take up a run with what this process knows of it, and keep what it learns.

    After a crash the pack is read again: the one that this process remembers may be older than what others work on.
    """
    with _RUNS.take_up(request) as run:
        try:
            yield run
        except StageCrash:
            _RUNS.forget(request.run_id)
            raise
        _RUNS.put_back(run)
