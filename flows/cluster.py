"""Stages on a Dask cluster that is there already, named by the address of its scheduler.

Only where a stage is executed changes: the flow, its tasks and the conductor's limit stay what they are. The cluster is
the operator's; assay starts and stops nothing of it. Its workers need this assay and this Python (another one would
compute other keys, and `Run` refuses to mix them), and must see packs, store and output folders under the same paths.

Nothing is imported from Prefect or Dask before a cluster is asked for: both are slow, and `prefect-dask` is an extra.
"""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_CONNECT_S: Final = 10
_FIRST_WORKER_S: Final = 60


class ClusterUnavailable(Exception):
    """There is no Dask cluster to execute stages on. The text is for people."""


def require_dask() -> None:
    """Check that Prefect can talk to Dask, without importing either.

    Raises:
        ClusterUnavailable: when the extra is not installed.
    """
    if find_spec("prefect_dask") is None:
        raise ClusterUnavailable("prefect-dask is not installed, which Dask needs: pip install 'assay[dask]'")


@contextmanager
def executing_on(address: str) -> Iterator[int]:
    """Let the present flow run submit its tasks to a Dask cluster; give the number of the cluster's threads.

    The address is a parameter of a flow run, so that one deployment can serve several clusters; but Prefect fixes the
    task runner of a flow before the parameters are known. Within the block, the context of the run is therefore a copy
    with another task runner.

    Raises:
        ClusterUnavailable: when the extra is not installed, no scheduler answers, or it has no worker.
    """
    require_dask()
    from prefect.context import FlowRunContext  # noqa: PLC0415 - imports Prefect
    from prefect_dask.task_runners import DaskTaskRunner  # noqa: PLC0415 - an extra

    context = FlowRunContext.get()
    if context is None:
        raise RuntimeError("executing_on() is for the body of a flow")
    with ExitStack() as stack:
        runner = stack.enter_context(DaskTaskRunner(address=address, client_kwargs={"timeout": _CONNECT_S}))
        threads = _threads_of(runner, address)
        stack.enter_context(context.model_copy(update={"task_runner": runner}))
        yield threads


def _threads_of(runner: Any, address: str) -> int:
    """Return how many threads all workers of the cluster have, once there is a worker."""
    try:
        client = runner.client
    except (OSError, ValueError) as error:  # no answer; no address that Dask understands
        raise ClusterUnavailable(f"no Dask scheduler answers at {address}: {error}") from error
    try:
        client.wait_for_workers(1, timeout=_FIRST_WORKER_S)
    except TimeoutError as error:
        raise ClusterUnavailable(f"the Dask scheduler at {address} has no worker") from error
    return sum(client.nthreads().values())
