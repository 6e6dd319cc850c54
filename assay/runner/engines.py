"""From a loaded pack to an engine that runs its code.

What an engine takes is imported when one is made: a run that is served from the cache makes none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.pack.fixtures import visible_fixtures
from assay.pack.snapshot import worker_root

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
    from assay.oracle.process_engine import ProcessEngine  # noqa: PLC0415
    from assay.oracle.spec import OracleSpec  # noqa: PLC0415
    from assay.stages.context import run_clock  # noqa: PLC0415

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
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - most packs import no distribution

    try:
        return version(distribution)
    except PackageNotFoundError:
        return "absent"
