"""What all stage tasks have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prefect import Task
from prefect.logging import get_run_logger
from prefect.states import Completed

from assay.pipeline import stage_named
from assay.runner import ArtifactRef, RunRequest, execute_stage
from tasks.cache import ContentKey
from tasks.retries import BACK_OFF, JITTER, is_fault_of_the_machine

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    from prefect.client.schemas.objects import State

CACHED = "Cached"
"""Name of the state of a stage whose artifact was there already, whether Prefect's record or the store said so."""

Json: TypeAlias = "dict[str, Any]"


StageFunction: TypeAlias = "Callable[[str, Json, Json], Json | State[Json]]"
"""The body of a stage task: what people call the pack (for names only), a `RunRequest` as JSON, and stage ->
`ArtifactRef` as JSON for every stage it comes after; it gives back an `ArtifactRef` as JSON."""

StageTask: TypeAlias = "Task[[str, Json, Json], Json | State[Json]]"
"""Callers see JSON in any case: Prefect puts the data of a returned state in its place."""


def stage_task(name: str) -> Callable[[StageFunction], StageTask]:
    """Declare a function to be the task of a stage; version and cache key come from the stage's declaration.

    There are no tags: for each new set of tags Prefect asks its server for concurrency limits before the task may
    start, which waits for whatever the server is writing (two seconds, measured on SQLite). Flow runs carry the tags.
    """
    stage = stage_named(name)

    def declare(function: StageFunction) -> StageTask:
        return Task(
            function,
            name=name,
            task_run_name=f"{name} {{pack}}",
            version=str(stage.version),
            cache_policy=ContentKey(),
            persist_result=True,
            result_serializer="json",
            retries=len(BACK_OFF),
            retry_delay_seconds=list(BACK_OFF),
            retry_jitter_factor=JITTER,
            retry_condition_fn=is_fault_of_the_machine,
        )

    return declare


def execute(name: str, request: Json, upstream: Json) -> Json | State[Json]:
    """Execute a stage in this process, log what came of it, and return the reference to its artifact.

    Raises:
        StageCrash: for a fault of the machine; Prefect tries again.
        ConfigError: when the run config cannot be used.
    """
    given = {stage: ArtifactRef.from_json(facts) for stage, facts in upstream.items()}
    reference = execute_stage(RunRequest.from_json(request), name, given)
    _log(reference)
    if reference.cached:
        return Completed(name=CACHED, data=reference.to_json())
    return reference.to_json()


def _log(reference: ArtifactRef) -> None:
    logger = get_run_logger()
    rows = ", ".join(f"{count} {table}" for table, count in reference.rows.items())
    faults = ", ".join(f"{count} {severity}" for severity, count in reference.findings.items() if count)
    logger.info("%s: %s; findings: %s", reference.stage, rows, faults or "none")
    if not reference.final:
        logger.warning("%s: rests on a deadline or a dead worker, so it is not kept in the cache", reference.stage)
    if reference.output:
        logger.info("pack code printed:\n%s", reference.output)
