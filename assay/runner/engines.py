"""From a loaded pack to an engine that runs its code."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from assay.oracle.process_engine import ProcessEngine
from assay.oracle.spec import OracleSpec
from assay.pack.fixtures import visible_fixtures
from assay.pack.snapshot import worker_root
from assay.stages.context import run_clock

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from assay.config import RunConfig
    from assay.oracle.engine import Engine
    from assay.pack.model import Pack


def engine_for(pack: Pack, config: RunConfig, snapshots: Path) -> Engine:
    """Return an engine over the pack's snapshot; no worker is started yet.

    Raises:
        OSError: when the snapshot without withheld rows cannot be written.
    """
    spec = OracleSpec(
        root=worker_root(pack, snapshots),
        backend=_usable(pack, "backend"),
        assertions=_usable(pack, "assertions"),
        fixtures=visible_fixtures(pack),
        limits=config.limits,
        clock=run_clock(pack, config),
    )
    return ProcessEngine(spec)


def _usable(pack: Pack, role: str) -> str | None:
    file: str | None = getattr(pack.paths, role)
    return None if role in pack.unusable else file


def installed_versions(distributions: Iterable[str]) -> dict[str, str]:
    """Return distribution -> installed version; `absent` for one that is not installed any more."""
    return {name: _installed_version(name) for name in distributions}


def _installed_version(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "absent"
