"""The flow that proves one pack."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from prefect import flow
from prefect.runtime import flow_run
from pydantic import PositiveFloat  # noqa: TC002 - Prefect reads the annotations at run time

from flows.concurrency import steps_at_once
from flows.conductor import conduct
from flows.naming import name_of
from flows.publish import publish_pack, tag_run
from flows.requests import request_for
from flows.states import state_for

if TYPE_CHECKING:
    from prefect.client.schemas.objects import State


def _run_name() -> str:
    parameters = flow_run.parameters
    return str(name_of(request_for(parameters["pack"], config=parameters.get("config"))))


@flow(name="validate_pack", flow_run_name=_run_name)
def validate_pack(  # noqa: PLR0913, PLR0917 - the fields of the form on Prefect's page
    pack: str,
    config: str | None = None,
    root: str | None = None,
    output_dir: str | None = None,
    exhaustive: bool = False,
    templates: list[str] | None = None,
    mutants: bool = True,
    language: str | None = None,
    run_id: str | None = None,
    retry_of: str | None = None,
    recompute_from: str | None = None,
    deadline_s: PositiveFloat | None = None,
) -> State[Any]:
    """Prove one pack and return its report.

    The run completes as `Gold` or `NotGold`; it fails only when there is no verdict, and running it again then
    recomputes only what is missing.

    Args:
        pack: a pack folder or its manifest; empty when `config` names the manifest.
        config: a run config.
        root: the artifact store; ASSAY_ROOT or a folder in the user's cache when omitted.
        output_dir: where to put the report, the tables and the manifest of this run.
        exhaustive: prove every instance, not one representative of each template.
        templates: prove only these templates; never Gold.
        mutants: measure whether the assertions would notice wrong evidence.
        language: the language to render in.
        run_id: name of the run in the ledger; a new one when omitted.
        retry_of: the run that this one takes up again.
        recompute_from: compute this stage and those that depend on it, although their artifacts are there.
        deadline_s: how many seconds the run may take; then it is ended without a verdict. No limit when omitted.
    """
    request = request_for(
        pack,
        config=config,
        root=root,
        output_dir=output_dir,
        exhaustive=exhaustive,
        templates=templates,
        mutants=mutants,
        language=language,
        run_id=run_id,
        retry_of=retry_of,
        recompute_from=recompute_from,
        deadline_s=deadline_s,
    )
    tag_run([request])
    (outcome,) = conduct([request], at_once=steps_at_once())
    publish_pack(outcome)
    return state_for([outcome], outcome.report)
