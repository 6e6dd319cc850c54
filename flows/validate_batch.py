"""The flow that proves many packs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from prefect import flow
from prefect.logging import get_run_logger
from prefect.runtime import flow_run
from pydantic import NonNegativeInt, PositiveInt  # noqa: TC002 - Prefect reads the annotations at run time

from assay.runner import RunRequest
from flows.concurrency import steps_at_once
from flows.conductor import conduct
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
    at_once: PositiveInt | None = None,
    shard: NonNegativeInt = 0,
    shards: PositiveInt = 1,
) -> State[Any]:
    """Prove many packs side by side and return the summary.

    The stage tasks of all packs are tasks of this one run. A pack that is broken, slow or without verdict stops no
    other. The run completes as `Gold` or `NotGold`; it fails when a pack came to no verdict, and running it again then
    recomputes only what is missing.

    Args:
        packs: pack folders, manifests, folders of packs, globs, list files.
        requests: whole run requests, as `assay batch` sends them; they come after `packs`.
        root: the artifact store for `packs`; ASSAY_ROOT or a folder in the user's cache when omitted.
        output_dir: where to put a folder for each of `packs`, and `summary.json` (`summary-1-of-2.json` of a shard).
        exhaustive: prove every instance of `packs`, not one representative of each template.
        at_once: how many stages may run at the same time; the number of processors and two more when omitted.
        shard: which part of the packs this run proves, counted from 0.
        shards: into how many parts the packs are dealt out, for several workers.
    """
    named = requests_for(packs or [], root=root, output_dir=output_dir, exhaustive=exhaustive)
    whole = [RunRequest.from_json(each) for each in requests or []]
    mine = [*named, *whole][shard::shards]
    tag_run(mine)
    outcomes = conduct(mine, at_once=at_once or steps_at_once())
    if output_dir:
        write_summary(Path(output_dir) / _summary_name(shard, shards), outcomes)
    publish_batch(outcomes)
    get_run_logger().info(headline(outcomes))
    return state_for(outcomes, summary_of(outcomes))


def _summary_name(shard: int, shards: int) -> str:
    return "summary.json" if shards == 1 else f"summary-{shard + 1}-of-{shards}.json"
