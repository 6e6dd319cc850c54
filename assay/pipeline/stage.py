"""What a stage is: its inputs, its outputs, its declaration."""

from __future__ import annotations

from dataclasses import dataclass, field
from pkgutil import resolve_name
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping

    import pyarrow as pa

    from assay.artifacts.codec import PackIdentity
    from assay.artifacts.table_rows import TableRows
    from assay.artifacts.table_writer import Row
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
        tables: tables of all its inputs, by table name (without findings); each is read again as often as it is asked.
        findings: input -> that stage's findings.
        engine_source: makes (or returns) the engine that runs pack code.
    """

    loaded: LoadResult
    config: RunConfig
    identity: PackIdentity
    tables: Mapping[str, TableRows]
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
    """What a stage gives back at its end.

    Attributes:
        tables: short tables, by table name; of all that the stage declares, those whose rows it did not yield.
        findings: faults of the pack that this stage found.
        final: False when the result rests on a deadline or a dead worker; it is then used but never kept in the cache
            (ruling 40).
    """

    tables: Mapping[str, pa.Table] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    final: bool = True


RowStream: TypeAlias = "Generator[tuple[str, Row], None, StageOutput]"
"""A stage under way: it yields the rows of its tables, each with the table's name, and returns what it ends with.

Rows of different tables may come in any order; those of one table are kept in the order in which they come.
"""


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
        computation: `module:function`, the function that computes it.
    """

    name: str
    version: int
    inputs: tuple[str, ...]
    settings: tuple[str, ...]
    tables: tuple[str, ...]
    runs_pack_code: bool = False
    needs_pack: bool = True
    computation: str

    @property
    def after(self) -> tuple[str, ...]:
        """Stages that must be done before it: its inputs, and `load`, whose snapshot everything reads."""
        return self.inputs if self.name == "load" or "load" in self.inputs else ("load", *self.inputs)

    def compute(self, context: StageContext) -> StageOutput | RowStream:
        """Compute its tables: those about instances as a stream of rows, short ones whole.

        The function is imported here and not where the stage is declared, because a run that is served from the cache
        needs none of them (`docs/design/startup.md`).
        """
        return self.prepare()(context)

    def prepare(self) -> Callable[[StageContext], StageOutput | RowStream]:
        """Import the function and return it."""
        function: Callable[[StageContext], StageOutput | RowStream] = resolve_name(self.computation)
        return function
