"""Engines over small packs that a test writes into its own folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from assay.oracle.limits import Limits
from assay.oracle.process_engine import ProcessEngine
from assay.oracle.spec import OracleSpec
from tests.oracle import running

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.fixture
def engine_of(tmp_path: Path) -> Iterator[Callable[..., ProcessEngine]]:
    """Make engines over the files given; all of them are closed afterwards, and nothing of theirs is left."""
    made: list[ProcessEngine] = []

    def make(files: dict[str, str] | str, fixtures: Any = None, **spec: Any) -> ProcessEngine:
        root = tmp_path / f"pack-{len(made)}"
        written = {"backend.py": files} if isinstance(files, str) else files
        running.write_files(root, written)
        limits = Limits(**spec.pop("limits", {}))
        given = {name: f"{name}.py" if f"{name}.py" in written else None for name in ("backend", "assertions")} | spec
        engine = ProcessEngine(OracleSpec(root=root, fixtures=fixtures, limits=limits, **given))
        made.append(engine)
        return engine

    yield make
    for engine in made:
        engine.close()
        assert not running.workers_of(engine)
