"""How many steps run at once when nobody says."""

from __future__ import annotations

import os


def steps_at_once() -> int:
    """Return the number of processors and two more: a step that waits out a deadline needs no processor."""
    return (os.cpu_count() or 1) + 2
