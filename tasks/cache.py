"""Prefect's cache, keyed by the content key of the artifact.

The store of artifacts is the cache; what Prefect keeps is a small record that names an artifact under the same key, so
that its page shows `Cached` and the task body need not run. Records lie in the store, under `prefect/`, and hold JSON.

A record may outlive what it names: an artifact is deleted, damaged, or was provisional from the start (ruling 40).
Prefect would not notice, so the key is computed only after a record that does not hold any more has been removed. To
remove one too many is harmless: the task body then finds the artifact in the store by itself.

A root in an object store has no records: they are there to save a task body what it would read, and would cost as many
round trips as they save. The body then finds the artifact and says `Cached`.
"""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prefect.cache_policies import CachePolicy

from assay.artifacts.store import read_artifact
from assay.config import ConfigError
from assay.pipeline import stages_from
from assay.runner import ArtifactRef, DeadlinePassed, RunRequest, StageCrash, stage_key

if TYPE_CHECKING:
    from prefect.context import TaskRunContext


def records_below(root: str) -> Path:
    """Return the folder of Prefect's records in the store at `root`, which must be a folder."""
    return Path(root) / "prefect"


class ContentKey(CachePolicy):
    """Keys a stage task by what its artifact is a function of."""

    def compute_key(
        self, task_ctx: TaskRunContext, inputs: dict[str, Any], flow_parameters: dict[str, Any], **kwargs: Any
    ) -> str | None:
        """Return the content key, or None when it cannot be known: the task body then meets the same fault and says so.

        Args:
            task_ctx: names the task, which has the name of its stage.
            inputs: the arguments of the task.
            flow_parameters: not used: the same stage of the same pack is the same artifact in every flow.
            kwargs: for later versions of Prefect.
        """
        del flow_parameters, kwargs
        request = RunRequest.from_json(inputs["request"])
        upstream = {name: ArtifactRef.from_json(facts) for name, facts in inputs["upstream"].items()}
        try:
            key = stage_key(request, task_ctx.task.name, upstream)
        except (StageCrash, DeadlinePassed, ConfigError):
            return None
        record = records_below(request.root) / key
        if request.recompute_from is not None and task_ctx.task.name in stages_from(request.recompute_from):
            _remove(record)
        else:
            _remove_unless_it_holds(record, key)
        return key


def _remove_unless_it_holds(record: Path, key: str) -> None:
    artifact = None
    with suppress(OSError, ValueError, KeyError, TypeError):
        reference = ArtifactRef.from_json(json.loads(json.loads(record.read_bytes())["result"]))
        artifact = read_artifact(Path(reference.path))
    if artifact is None or not artifact.final or artifact.key != key:
        _remove(record)


def _remove(record: Path) -> None:
    with suppress(OSError):
        record.unlink(missing_ok=True)
