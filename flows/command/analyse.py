"""`assay sql`: questions to the artifact store."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from flows.command.exits import CommandError
from flows.command.places import resolve_root
from flows.command.screen import make_console, make_table

if TYPE_CHECKING:
    from collections.abc import Sequence

_FORMATS = ("table", "json", "csv")


def run_sql(query: str, root: str | None, output_format: str) -> int:
    """Print the answer to a query."""
    from assay.artifacts.catalog import QueryError, ask

    if output_format not in _FORMATS:
        raise CommandError(f"--format takes {', '.join(_FORMATS)}; not {output_format}")
    try:
        names, rows = ask(resolve_root(root), query)
    except QueryError as error:
        raise CommandError(str(error), "query") from error
    _WRITERS[output_format](names, rows)
    return 0


def _write_json_rows(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    found = [dict(zip(names, row, strict=True)) for row in rows]
    json.dump(found, sys.stdout, indent=2, ensure_ascii=False, default=str)
    sys.stdout.write("\n")


def _write_csv(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    import csv

    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(rows)


def _write_table(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    table = make_table(*names)
    for row in rows:
        table.add_row(*("" if value is None else str(value) for value in row))
    make_console().print(table)


_WRITERS = {"json": _write_json_rows, "csv": _write_csv, "table": _write_table}
