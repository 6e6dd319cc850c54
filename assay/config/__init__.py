"""The run config: what a run is told besides the pack.

A pack folder alone is enough; every setting but the pack has a default (ruling 5). A config file that cannot be
understood gives no verdict (exit code 1), so its faults are an exception, unlike a pack's: `ConfigError` lists all of
them.
"""

from assay.config.load import config_for_pack, load_config
from assay.config.run_config import DEFAULT_CLOCK, ConfigError, RunConfig, SurfaceGeneration, TaskGeneration

__all__ = [
    "DEFAULT_CLOCK",
    "ConfigError",
    "RunConfig",
    "SurfaceGeneration",
    "TaskGeneration",
    "config_for_pack",
    "load_config",
]
