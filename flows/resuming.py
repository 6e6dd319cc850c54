"""The command that takes a run up again: what a failure ends with."""

from __future__ import annotations

import shlex


def resume_command(run_id: str, root: str) -> str:
    """Return the command, whole, so that it can be copied from a log to any shell.

    Args:
        run_id: of a run or a batch in the ledger.
        root: the store that the ledger is in.
    """
    return shlex.join(["assay", "retry", run_id, "--root", root])
