"""What a stage is: its inputs, its outputs, its declaration."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pyarrow as pa

    from assay.artifacts.codec import PackIdentity
    from assay.config import RunConfig
    from assay.findings import Finding
    from assay.oracle.engine import Engine
    from assay.pack.load import LoadResult
    from assay.pack.model import Pack


@dataclass(frozen=True, slots=True, kw_only=True)
class StageContext:
    """What a stage may look at.

    Attributes:
        loaded: the pack as loading left it, with loading's findings.
        config: the run config.
        identity: the first three columns of every table.
        tables: tables of all its inputs, by table name (without findings).
        findings: input -> that stage's findings.
        engine_source: makes (or returns) the engine that runs pack code.
    """

    loaded: LoadResult
    config: RunConfig
    identity: PackIdentity
    tables: Mapping[str, pa.Table]
    findings: Mapping[str, tuple[Finding, ...]]
    engine_source: Callable[[], Engine]

    @property
    def pack(self) -> Pack:
        """The loaded pack. Stages that need one run only when there is one."""
        if self.loaded.pack is None:
            raise LookupError("the pack could not be loaded")
        return self.loaded.pack

    @property
    def engine(self) -> Engine:
        """The engine; workers start at its first use."""
        return self.engine_source()


@dataclass(frozen=True, slots=True, kw_only=True)
class StageOutput:
    """What a stage gives back.

    Attributes:
        tables: by table name; exactly those that the stage declares.
        findings: faults of the pack that this stage found.
        final: False when the result rests on a deadline or a dead worker; it is then used but never kept in the cache
            (ruling 40).
    """

    tables: Mapping[str, pa.Table]
    findings: tuple[Finding, ...] = ()
    final: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One declared stage.

    Attributes:
        name: `load`, `probe`, `bind`, ... as in the contract.
        version: raised when the meaning of its tables changes.
        inputs: stages whose tables and findings it reads; their keys are part of its own.
        runs_pack_code: versions of modules that pack code imports from outside are in its key too (ruling 41).
        settings: run-config fields in its cache key.
        tables: names of its tables, the main one first.
        needs_pack: without a loaded pack its tables are empty.
        compute: the function itself.
    """

    name: str
    version: int
    inputs: tuple[str, ...]
    settings: tuple[str, ...]
    tables: tuple[str, ...]
    runs_pack_code: bool = False
    needs_pack: bool = True
    compute: Callable[[StageContext], StageOutput] = field(repr=False)

    @property
    def after(self) -> tuple[str, ...]:
        """Stages that must be done before it: its inputs, and `load`, whose snapshot everything reads."""
        return self.inputs if self.name == "load" or "load" in self.inputs else ("load", *self.inputs)
