"""From a loaded pack to an engine that runs its code."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from assay.config import RunConfig
    from assay.oracle.engine import Engine
    from assay.pack.model import Pack


def engine_for(pack: Pack, config: RunConfig, snapshots: Path) -> Engine:
    """Return an engine over the pack's snapshot; no worker is started yet."""
    raise NotImplementedError


def installed_versions(distributions: Iterable[str]) -> dict[str, str]:
    """Return distribution -> installed version; `absent` for one that is not installed any more."""
    return {name: _installed_version(name) for name in distributions}


def _installed_version(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "absent"
