"""SQL over the store.

Each table of `assay.artifacts.tables` is a view over the artifacts of the *latest finished run of each pack*, so that
counts are not doubled by earlier runs; `all_<table>` is the same over every artifact in the store. `runs`, `stages` and
`batches` are the ledger. The store is opened for reading only, and the query sees nothing else of the file system.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from assay.artifacts.batches import batch_tables
from assay.artifacts.places import ledger_at, store_at
from assay.artifacts.store import FINDINGS, StoreError, table_files
from assay.artifacts.tables import ALL_TABLES, BATCHES, REPORT_STAGE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    import duckdb

    from assay.artifacts.ledger import Ledger
    from assay.artifacts.store import Store
    from assay.artifacts.tables import TableSchema

_RUN_COLUMNS: Final = (
    "run_id",
    "pack_id",
    "pack_version",
    "pack_fingerprint",
    "status",
    "tier",
    "started",
    "finished",
)
_RUNS: Final = pa.schema(
    [*((name, pa.string()) for name in _RUN_COLUMNS), *((name, pa.int64()) for name in ("error", "warning", "note"))]
)
_STAGES: Final = pa.schema(
    [
        *((name, pa.string()) for name in ("run_id", "stage", "status", "key", "path")),
        ("final", pa.bool_()),
        ("started", pa.string()),
        ("seconds", pa.float64()),
        *((name, pa.string()) for name in ("worker", "error")),
    ]
)


class QueryError(Exception):
    """A query that cannot be answered. The text is for people."""


def ask(root: str | Path, query: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Return column names and rows of a query over the store at a root.

    Raises:
        QueryError: when the query is wrong or the store cannot be read.
    """
    import duckdb  # noqa: PLC0415 - 0.3 s, for analysts only

    try:
        with connect(root, every_artifact="all_" in query.lower()) as connection:
            answer = connection.execute(query)
            names = [column[0] for column in answer.description or ()]
            return names, answer.fetchall()
    except (duckdb.Error, StoreError) as error:
        raise QueryError(str(error)) from error


def connect(root: str | Path, *, every_artifact: bool = False) -> duckdb.DuckDBPyConnection:
    """Return an in-memory database with one view per table, locked to the store's files.

    Of a root in an object store, what the views need is fetched first; the database sees only the mirror.

    Args:
        root: the store's, a folder or a URL.
        every_artifact: make the `all_<table>` views too, which means looking at every artifact there is.

    Raises:
        duckdb.Error: when a file cannot be read.
        StoreError: when an object store does not answer.
    """
    import duckdb  # noqa: PLC0415 - 0.3 s, for analysts only

    connection = duckdb.connect()
    store, ledger = store_at(root), ledger_at(root).at_hand()
    runs = list(ledger.runs())
    _make_views(connection, "", _latest_artifacts(store, ledger, runs))
    if every_artifact:
        _make_views(connection, "all_", store.files())
    _make_ledger(connection, ledger, runs)
    _make_view(connection, BATCHES, BATCHES.name, batch_tables(store))
    connection.execute(f"set allowed_directories = [{_quoted(str(store.root))}]")
    connection.execute("set enable_external_access = false; set lock_configuration = true")
    return connection


def _latest_artifacts(store: Store, ledger: Ledger, runs: Iterable[Mapping[str, Any]]) -> list[Path]:
    """Return the main files of the newest finished run of each pack. `runs` come newest first."""
    seen: set[str | None] = set()
    found: list[Path] = []
    for run in runs:
        if run["status"] != "running" and run.get("pack_id") not in seen:
            seen.add(run.get("pack_id"))
            stages = ledger.read_stages(run["run_id"]).values()
            found.extend(store.path_of(stage["path"]) for stage in stages if stage["path"])
    return found


def _make_views(connection: duckdb.DuckDBPyConnection, prefix: str, artifacts: Iterable[Path]) -> None:
    files: dict[str, list[Path]] = {}
    for path in artifacts:
        for table, file in table_files(path).items():
            if table != FINDINGS or path.parent.parent.name == f"stage={REPORT_STAGE}":
                files.setdefault(table, []).append(file)
    for name, schema in ALL_TABLES.items():
        _make_view(connection, schema, f"{prefix}{name}", files.get(name, ()))


def _make_view(connection: duckdb.DuckDBPyConnection, schema: TableSchema, view: str, files: Sequence[Path]) -> None:
    if files:
        listed = ", ".join(_quoted(str(file)) for file in files)
        connection.execute(f"create view {view} as from read_parquet([{listed}], hive_partitioning = false)")
    else:
        connection.register(view, schema.arrow.empty_table())


def _make_ledger(connection: duckdb.DuckDBPyConnection, ledger: Ledger, runs: Iterable[Mapping[str, Any]]) -> None:
    run_rows: list[dict[str, Any]] = []
    stage_rows: list[dict[str, Any]] = []
    for run in runs:
        counts = run.get("findings") or {}
        run_rows.append({name: run.get(name) for name in _RUN_COLUMNS} | {name: counts.get(name) for name in counts})
        stages = ledger.read_stages(run["run_id"]).values()
        stage_rows.extend({"run_id": run["run_id"], **stage} for stage in stages)
    connection.register("runs", pa.Table.from_pylist(run_rows, schema=_RUNS))
    connection.register("stages", pa.Table.from_pylist(stage_rows, schema=_STAGES))


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
