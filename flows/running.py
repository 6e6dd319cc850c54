"""Running packs through Prefect from a process of ours: `assay run`, `assay batch`, `make demo`.

Nothing of Prefect is imported before `run_packs` is called.
"""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from flows import settings
from flows.embedded_server import EmbeddedServer, ServerUnavailable, deliver, is_first_start
from flows.naming import name_of
from flows.outcome import PackOutcome
from flows.progress import BatchBegun, PackEnded, ServerStarting, observing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from prefect.client.schemas.objects import State

    from assay.runner import RunRequest
    from flows.progress import Observer, Progress


def run_packs(
    requests: Sequence[RunRequest],
    *,
    together: bool = False,
    output_dir: str | None = None,
    at_once: int | None = None,
    dask: str | None = None,
    observe: Observer | None = None,
    quiet: bool = True,
) -> list[PackOutcome]:
    """Prove packs through Prefect, in this process.

    Flow runs are orchestrated by the server that the operator named (`PREFECT_API_URL`, or a Prefect profile), else by
    an embedded one that lives as long as this call.

    Args:
        requests: what to prove, each with a run id of its own.
        together: as one run of `validate_batch`, side by side; else as a run of `validate_pack` for each, one by one.
        output_dir: where the summary of a batch goes; no summary when omitted.
        at_once: how many stages of a batch may run at the same time; a number that suits this machine when omitted.
        dask: address of a Dask scheduler whose workers execute the stages of a batch; this process when omitted.
        observe: told of the server, of each stage and of each pack as it ends; called in this thread.
        quiet: keep Prefect's log lines off standard error.

    Returns:
        what came of each pack, in the order of the requests.

    Raises:
        ServerUnavailable: when there is no server to run on.
    """
    ended: dict[str, PackOutcome] = {}

    def watch(progress: Progress) -> None:
        if isinstance(progress, PackEnded):
            ended[progress.outcome.run_id] = progress.outcome
        if isinstance(progress, BatchBegun) and not settings.names_a_server():
            progress = replace(progress, page=None)  # an embedded server serves no pages
        if observe is not None:
            observe(progress)

    with _server(watch, quiet=quiet), observing(watch):
        whys = _run_batch(requests, output_dir, at_once, dask) if together else _run_each(requests)
    return [ended.get(each.run_id) or _broken_off(each, why) for each, why in zip(requests, whys, strict=True)]


def _run_batch(
    requests: Sequence[RunRequest], output_dir: str | None, at_once: int | None, dask: str | None
) -> list[str]:
    from flows.validate_batch import validate_batch  # noqa: PLC0415 - imports Prefect

    whole = [each.to_json() for each in requests]
    state = validate_batch(requests=whole, output_dir=output_dir, at_once=at_once, dask=dask, return_state=True)
    return [_why(state)] * len(requests)


def _run_each(requests: Sequence[RunRequest]) -> list[str]:
    from flows.validate_pack import validate_pack  # noqa: PLC0415 - imports Prefect

    return [_why(validate_pack(**each.to_json(), return_state=True)) for each in requests]


def _why(state: State[Any]) -> str:
    return state.message or state.name or "the flow run broke off"


def _broken_off(request: RunRequest, why: str) -> PackOutcome:
    return PackOutcome(request=request, name=name_of(request), report=None, error=why, seconds=0.0)


@contextmanager
def _server(tell: Callable[[Progress], None], *, quiet: bool) -> Iterator[None]:
    """See to it that there is a server within the block, the operator's or our own."""
    settings.prepare(quiet=quiet)
    with ExitStack() as stack:
        embedded = None
        if not settings.names_a_server():
            tell(ServerStarting(first=is_first_start()))
            embedded = stack.enter_context(EmbeddedServer())
        from prefect.settings import (  # noqa: PLC0415 - imports Prefect, while the server starts
            PREFECT_API_URL,
            PREFECT_FLOWS_HEARTBEAT_FREQUENCY,
            temporary_settings,
        )

        if embedded is not None:
            # Nobody watches for a heartbeat of a flow in the server's own parent, and its thread ends a second late.
            ours = {PREFECT_API_URL: embedded.wait_until_up(), PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None}
            stack.enter_context(temporary_settings(ours))
        _require_answer()
        stack.callback(deliver)
        yield


def _require_answer() -> None:
    from prefect.client.orchestration import get_client  # noqa: PLC0415 - imports Prefect

    with get_client(sync_client=True) as client:
        error = client.api_healthcheck()
        if error is not None:
            raise ServerUnavailable(f"the Prefect server {client.api_url} does not answer: {error}") from error
