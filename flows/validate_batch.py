"""The flow that proves many packs."""

from __future__ import annotations

import random
import time
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prefect import flow
from prefect.logging import get_run_logger
from prefect.runtime import flow_run
from prefect.utilities.urls import url_for
from pydantic import (  # noqa: TC002 - Prefect reads the annotations at run time
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
)

from assay.artifacts.ledger import new_run_id
from assay.runner import RunRequest
from flows.batch_ledger import close_batch, open_batch
from flows.cluster import executing_on
from flows.concurrency import steps_at_once
from flows.conductor import conduct
from flows.progress import BatchBegun, tell
from flows.publish import publish_batch, tag_run
from flows.requests import requests_for
from flows.states import state_for
from flows.summary import headline, summary_of, write_summary

if TYPE_CHECKING:
    from prefect.client.schemas.objects import State


def _run_name() -> str:
    parameters = flow_run.parameters
    named = [*(parameters.get("packs") or []), *(parameters.get("requests") or [])]
    shard = f" {parameters['shard'] + 1}/{parameters['shards']}" if parameters["shards"] > 1 else ""
    first = Path(named[0] if isinstance(named[0], str) else named[0].get("pack", "")).name if named else "nothing"
    return f"{first}{f' and {len(named) - 1} more' if len(named) > 1 else ''}{shard}"


@flow(name="validate_batch", flow_run_name=_run_name)
def validate_batch(  # noqa: PLR0913, PLR0917 - the fields of the form on Prefect's page
    packs: list[str] | None = None,
    requests: list[dict[str, Any]] | None = None,
    root: str | None = None,
    output_dir: str | None = None,
    exhaustive: bool = False,
    mutants: bool = True,
    at_once: PositiveInt | None = None,
    dask: str | None = None,
    deadline_s: PositiveFloat | None = None,
    jitter_s: NonNegativeFloat = 0.0,
    shard: NonNegativeInt = 0,
    shards: PositiveInt = 1,
) -> State[Any]:
    """Prove many packs side by side and return the summary.

    The stage tasks of all packs are tasks of this one run; a pack of which everything is in the store takes one task. A
    pack that is broken, slow or without verdict stops no other. The run completes as `Gold` or `NotGold`; it fails when
    a pack came to no verdict, and running it again then recomputes only what is missing.

    Args:
        packs: pack folders, manifests, folders of packs, globs, list files.
        requests: whole run requests, as `assay batch` sends them; they come after `packs`.
        root: the artifact store for `packs`; ASSAY_ROOT or a folder in the user's cache when omitted.
        output_dir: where to put a folder for each of `packs`, and `summary.json` (`summary-1-of-2.json` of a shard).
        exhaustive: prove every instance of `packs`, not one representative of each template.
        mutants: measure of `packs` whether their assertions would notice wrong evidence.
        at_once: how many stages may run at the same time; the number of processors and two more when omitted.
        dask: the Dask scheduler whose workers execute the stages (`tcp://HOST:8786`); this process when omitted.
        deadline_s: how many seconds each of `packs` may take, waiting for its turn not counted; what takes longer is
            ended without a verdict, and the others go on. No limit when omitted.
        jitter_s: wait up to so many seconds before the start, so that batches of one schedule do not all begin at once.
        shard: which part of the packs this run proves, counted from 0.
        shards: into how many parts the packs are dealt out, for several workers.
    """
    _wait_a_moment(jitter_s)
    options = {"root": root, "exhaustive": exhaustive, "mutants": mutants, "deadline_s": deadline_s}
    named = requests_for(packs or [], output_dir=output_dir, **options)
    whole = [RunRequest.from_json(each) for each in requests or []]
    mine = [*named, *whole][shard::shards]
    batch_id = new_run_id()
    summary = Path(output_dir).absolute() / _summary_name(shard, shards) if output_dir else None
    tag_run(mine)
    with executing_on(dask) if dask else nullcontext() as threads:
        open_batch(
            batch_id, mine, flow_run=str(flow_run.id), dask=dask, summary=None if summary is None else str(summary)
        )
        get_run_logger().info("batch %s: %d packs, shard %d of %d", batch_id, len(mine), shard + 1, shards)
        tell(BatchBegun(batch_id=batch_id, packs=len(mine), page=url_for("flow-run", flow_run.id)))
        outcomes = conduct(mine, at_once=at_once or steps_at_once(threads), look_first=True, here=dask is None)
    if summary is not None:
        write_summary(summary, outcomes, batch_id)
    publish_batch(outcomes)
    close_batch(batch_id, outcomes)
    get_run_logger().info(headline(outcomes))
    return state_for(outcomes, summary_of(outcomes, batch_id))


def _wait_a_moment(most_s: float) -> None:
    """Wait for a random time: a schedule of Prefect has no jitter of its own."""
    time.sleep(random.uniform(0.0, most_s))  # noqa: S311 - nothing secret about it


def _summary_name(shard: int, shards: int) -> str:
    return "summary.json" if shards == 1 else f"summary-{shard + 1}-of-{shards}.json"
