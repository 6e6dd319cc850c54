"""Write the generated pages: `docs/findings.md` from the registry of codes, `docs/tables.md` from the table schemas.

With `--check` nothing is written; the exit code is then 1 when a page is not what would be written.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from assay.artifacts.tables import ALL_TABLES
from assay.findings import REGISTRY, Check, Code

DOCS = Path(__file__).parent


def findings_page() -> str:
    """Return the page of all codes, by the check that they count against."""
    lines = [
        "# Findings",
        "",
        "Every code that assay can emit. `assay explain CODE` shows the same on a terminal. This page is generated:",
        "edit `assay/findings/codes/`, then run `make docs`.",
        "",
    ]
    for check in (None, *Check):
        codes = sorted((code for code in REGISTRY.values() if code.check == check), key=lambda code: code.name)
        if codes:
            title = "Loading and the report itself" if check is None else f"Check {check}: {check.name.lower()}"
            lines += [f"## {title}", "", *_codes(codes)]
    return "\n".join(lines)


def _codes(codes: list[Code]) -> Iterator[str]:
    for code in codes:
        yield f"### `{code.name}` ({code.severity})"
        yield ""
        yield f"{code.meaning} {code.why}"
        yield ""
        yield f"*Fix:* {code.fix}"
        yield ""


def tables_page() -> str:
    """Return the page of all tables and their columns."""
    lines = [
        "# Tables",
        "",
        "Every table that a run leaves behind. `assay sql` shows them as views, Parquet files hold them. Text marked",
        "JSON is canonical: keys sorted, no blanks, `1` and `1.0` apart. This page is generated: edit",
        "`assay/artifacts/tables.py`, then run `make docs`.",
        "",
    ]
    for table in ALL_TABLES.values():
        lines += [f"## `{table.name}`", "", f"One row: {table.row}. Version {table.version}.", ""]
        lines += ["| column | type | null | meaning |", "| --- | --- | --- | --- |"]
        for each in table.columns:
            null = "yes" if each.nullable else "no"
            lines.append(f"| `{each.name}` | {each.type} | {null} | {each.meaning} |")
        lines.append("")
    return "\n".join(lines)


def main() -> int:
    """Write or check the pages."""
    stale = []
    for name, text in (("findings.md", findings_page()), ("tables.md", tables_page())):
        page = DOCS / name
        if "--check" not in sys.argv:
            page.write_text(text, encoding="utf-8")
        elif not page.exists() or page.read_text(encoding="utf-8") != text:
            stale.append(name)
    if stale:
        sys.stderr.write(f"stale: {', '.join(stale)}; run `make docs`\n")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
