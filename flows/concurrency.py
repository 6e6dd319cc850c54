"""How many steps run at once when nobody says."""

from __future__ import annotations

import os


def steps_at_once(processors: int | None = None) -> int:
    """Return the number of processors and two more: a step that waits out a deadline needs no processor.

    Args:
        processors: of whatever executes the steps; those of this machine when omitted.
    """
    return (processors or os.cpu_count() or 1) + 2
