"""The pipeline, declared once as data.

The direct runner and the Prefect flow both walk `PIPELINE`; neither knows a stage by name. A stage is a pure function:
it reads the tables of earlier stages, parts of the pack and of the run config, and gives back tables and findings. Its
artifact is a function of exactly what it declares to read, which is what makes its cache key honest.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pyarrow as pa

    from assay.config import RunConfig
    from assay.findings import Finding
    from assay.oracle.engine import Engine
    from assay.pack.model import Pack


@dataclass(frozen=True, slots=True, kw_only=True)
class StageContext:
    """What a stage may look at.

    Attributes:
        tables: tables of all stages it comes after, by table name.
        findings: findings of all stages it comes after.
        engine: runs pack code; workers start at first use and are shared by the stages of one process.
    """

    pack: Pack
    config: RunConfig
    tables: Mapping[str, pa.Table]
    findings: tuple[Finding, ...]
    engine: Engine


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
        after: stages whose tables and findings it reads.
        reads: pack parts in its cache key: roles of `PackPaths`, or `tree` for the whole fingerprint.
        settings: run-config fields in its cache key.
        tables: names of its tables, the main one first.
        compute: the function itself.
    """

    name: str
    version: int
    after: tuple[str, ...]
    reads: tuple[str, ...]
    settings: tuple[str, ...]
    tables: tuple[str, ...]
    compute: Callable[[StageContext], StageOutput] = field(repr=False)
