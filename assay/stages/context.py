"""The context that pack code sees as `ctx`: one way to make it, for every episode of every stage.

The clock is the run's: the run config's, else the manifest's, else `DEFAULT_CLOCK`. A manifest clock that is not an
ISO-8601 moment with a UTC offset is the loader's finding; here it counts as absent, so that episodes still run.
`timeout_s` is the tool limit for every call, reset and assertion alike (ruling 30, `reference/trace-replay.md` 4.4).
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from assay.config import DEFAULT_CLOCK
from assay.oracle.evidence import EpisodeContext

if TYPE_CHECKING:
    from assay.config import RunConfig
    from assay.pack.model import Pack


def run_clock(pack: Pack, config: RunConfig) -> str:
    """Return the frozen clock of a run: the first usable one of run config, manifest and default."""
    return next((clock for clock in (config.clock, pack.manifest.clock) if _is_moment(clock)), None) or DEFAULT_CLOCK


def _is_moment(clock: Any) -> bool:
    """Say whether a value is the text of a moment with a UTC offset."""
    if not isinstance(clock, str):
        return False
    try:
        return datetime.fromisoformat(clock).utcoffset() is not None
    except ValueError:
        return False


def episode_context(pack: Pack, config: RunConfig, *, task_id: str, seed: int) -> EpisodeContext:
    """Return the context of one episode.

    Args:
        pack: the loaded pack.
        config: the run config.
        task_id: the instance's id, or a probe's name such as `validation-group:0`.
        seed: the instance's seed; for probes the run's own (`random_seed`).
    """
    return EpisodeContext(clock=run_clock(pack, config), seed=seed, timeout_s=config.limits.tool_s, task_id=task_id)
