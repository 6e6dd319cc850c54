"""Check I1: Gold is proven in processes.

Pack code runs in processes whatever the run config says; but who asks for a `thread` worker asks for a run that the
contract does not accept as proof (`reference/validation.md` 9.5).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from assay.findings import Finding, finding
from assay.values import shown

if TYPE_CHECKING:
    from assay.config import RunConfig

PROCESS: Final = "process"


def check_isolation(config: RunConfig) -> tuple[Finding, ...]:
    """Tell a run config that asks for another worker than `process`."""
    if config.worker == PROCESS:
        return ()
    message = f"The run config asks for the worker {shown(config.worker)}; Gold needs `{PROCESS}`."
    return (finding("process_worker_required_for_gold", message, detail={"worker": config.worker}),)
