"""Write the generated pages.

`docs/findings.md` comes from the registry of codes, `docs/tables.md` from the table schemas, `docs/behaviours.md` from
the table of the contract's behaviours in `tests/conformance`, `docs/hostile.md` from the corpus in `tests/hostile`.

With `--check` nothing is written; the exit code is then 1 when a page is not what would be written.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from assay.artifacts.tables import ALL_TABLES, LEDGER_TABLES
from assay.findings import REGISTRY, Check, Code

DOCS = Path(__file__).parent
BEHAVIOURS = DOCS.parent / "tests" / "conformance" / "behaviours.yaml"
HOSTILE = DOCS.parent / "tests" / "hostile" / "corpus.yaml"
HOSTILE_SECONDS, HOSTILE_MIB = 60, 120
KINDS = ("shown", "ruled otherwise", "later")


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
    for table in (*ALL_TABLES.values(), *LEDGER_TABLES.values()):
        lines += [f"## `{table.name}`", "", f"One row: {table.row}. Version {table.version}.", ""]
        lines += ["| column | type | null | meaning |", "| --- | --- | --- | --- |"]
        for each in table.columns:
            null = "yes" if each.nullable else "no"
            lines.append(f"| `{each.name}` | {each.type} | {null} | {each.meaning} |")
        lines.append("")
    return "\n".join(lines)


def behaviours_page() -> str:
    """Return the page of all behaviours that the contract pins: what shows each, or what it waits for."""
    table = yaml.safe_load(BEHAVIOURS.read_text(encoding="utf-8"))
    entries: dict[str, dict[str, Any]] = table["behaviours"]
    starred = {name: entry for name, entry in entries.items() if entry.get("star")}
    lines = [
        "# Behaviours",
        "",
        "Every behaviour that the contract pins, by its id there. A star marks those that are most easily missed.",
        "*Shown* behaviours name the tests (below `tests/`) or the cases (`tests/conformance/cases`, by their id)",
        "that show them; where the reference raises an error, assay reports a finding. *Ruled otherwise* means",
        "that a ruling or the design puts something else in its place; the tests show that. *Later* says what it",
        "waits for. This page is generated: edit `tests/conformance/behaviours.yaml`, then run `make docs`.",
        "",
        f"| | {' | '.join(KINDS)} | all |",
        "| --- | --- | --- | --- | --- |",
        _totals("all", entries),
        _totals("with a star", starred),
        *(_totals(area, _of_area(entries, area)) for area in dict.fromkeys(name.partition("-")[0] for name in entries)),
        "",
        "What is waited for:",
        "",
        *(f"* *{name}*: {reason}" for name, reason in table["reasons"].items()),
        "",
        "| id | about | | where, or why not |",
        "| --- | --- | --- | --- |",
        *(_behaviour(name, entry) for name, entry in entries.items()),
    ]
    return "\n".join(lines) + "\n"


def kind_of(entry: dict[str, Any]) -> str:
    """Return which of `KINDS` an entry of the table of behaviours is."""
    return "later" if "later" in entry else "ruled otherwise" if "ruled" in entry else "shown"


def _of_area(entries: dict[str, dict[str, Any]], area: str) -> dict[str, dict[str, Any]]:
    return {name: entry for name, entry in entries.items() if name.startswith(f"{area}-")}


def _totals(title: str, entries: dict[str, dict[str, Any]]) -> str:
    counts = Counter(map(kind_of, entries.values()))
    return f"| {title} | {' | '.join(str(counts[kind]) for kind in KINDS)} | {len(entries)} |"


def _behaviour(name: str, entry: dict[str, Any]) -> str:
    tests = ", ".join(f"`{source}`" for source in entry.get("shown", ()))
    told = {
        "shown": tests,
        "ruled otherwise": f"{entry.get('ruled')}. {entry.get('why')} {tests}",
        "later": f"*{entry.get('later')}*" + (f"; so far {tests}" if tests else ""),
    }
    kind = kind_of(entry)
    return f"| {name}{'*' if entry.get('star') else ''} | {entry['about']} | {kind} | {told[kind]} |"


def hostile_page() -> str:
    """Return the page of what the corpus of hostile packs tries, and what comes of it."""
    table: dict[str, dict[str, Any]] = yaml.safe_load(HOSTILE.read_text(encoding="utf-8"))
    lines = [
        "# Hostile packs",
        "",
        f"{len(table)} backends and assertion modules that try to do harm, each put through the whole pipeline by",
        "`tests/hostile`. For each the tests require the finding below (or that the pack is Gold: what it tried came",
        "to nothing, and the results of its calls report the refusal), and that no file outside has changed, no",
        "process survived, no port was reached, no signal arrived, and no secret of the machine was written anywhere.",
        "",
        "*Allowed* is the deadline that the module runs under where it is not the usual one (import 10 s, everything",
        "else 5 s), how long the whole validation may take, and by how much our own process may grow. Every worker may",
        "have 1024 MiB of address space. This page is generated: edit `tests/hostile/corpus.yaml`, run `make docs`.",
        "",
        "| module | tries | comes to | allowed |",
        "| --- | --- | --- | --- |",
        *(_hostile_line(file, facts) for file, facts in sorted(table.items())),
    ]
    return "\n".join(lines) + "\n"


def _hostile_line(file: str, facts: dict[str, Any]) -> str:
    source = (HOSTILE.parent / file).read_text(encoding="utf-8")
    tries = " ".join(source.split('"""')[1].split()).replace("|", "\\|")
    found = ", ".join(f"`{code}`" for code in facts.get("finds", ()))
    limits = "".join(
        f"{name.removesuffix('_timeout_s')} {value:g} s, " for name, value in facts.get("limits", {}).items()
    )
    allowed = f"{limits}{facts.get('seconds', HOSTILE_SECONDS)} s, {facts.get('our_mib', HOSTILE_MIB)} MiB"
    return f"| `{file}` | {tries} | {found or 'Gold'} | {allowed} |"


def main() -> int:
    """Write or check the pages."""
    stale = []
    pages = {
        "findings.md": findings_page(),
        "tables.md": tables_page(),
        "behaviours.md": behaviours_page(),
        "hostile.md": hostile_page(),
    }
    for name, text in pages.items():
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
