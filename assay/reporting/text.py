"""A report as text for people: findings by file, each with its line, the source under a caret, and the fix.

The output is bounded: so many findings of one code, the rest counted. Consequences are folded under the finding that
they follow from. Colour is added only where the console shows it. What a pack says cannot command the terminal: control
characters are shown as pictures of themselves.
"""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING, Final

from rich.text import Text

from assay.findings import Severity
from assay.reporting.pictures import PICTURES
from assay.reporting.strength import strength_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from assay.checks.report import Report
    from assay.findings import Finding, Place

MOST_PER_CODE: Final = 8
WIDEST_SOURCE: Final = 100
_STYLES: Final = {Severity.ERROR: "bold red", Severity.WARNING: "yellow", Severity.NOTE: "cyan"}

_MARKS: Final = {"pass": ("pass", "green"), "fail": ("FAIL", "bold red"), "skipped": ("skipped", "yellow")}


def render_report(report: Report, source_line: Callable[[Place], str | None]) -> Iterator[Text]:
    """Yield the lines of a report.

    Args:
        report: the report.
        source_line: returns the line of the pack at a place, or None when it cannot be shown.
    """
    for line in _lines(report, source_line):
        line.plain = line.plain.translate(PICTURES)
        yield line


def _lines(report: Report, source_line: Callable[[Place], str | None]) -> Iterator[Text]:
    roots = [each for each in report.findings if each.root is None]
    followers: Counter[str | None] = Counter(each.root for each in report.findings if each.root is not None)
    for file, group in groupby(roots, key=lambda each: each.place.file if each.place else ""):
        yield Text(file or "(the pack as a whole)", style="bold underline")
        yield from _bounded(list(group), followers, source_line)
    yield from strength_lines(report.strength)
    yield _checks_line(report)
    yield from _skipped_lines(report)
    yield verdict_line(report)


def _bounded(
    findings: list[Finding], followers: Counter[str | None], source_line: Callable[[Place], str | None]
) -> Iterator[Text]:
    shown: Counter[str] = Counter()
    for each in findings:
        shown[each.code] += 1
        if shown[each.code] <= MOST_PER_CODE:
            yield from _finding_lines(each, followers[each.id], source_line)
    for code, count in sorted(shown.items()):
        if count > MOST_PER_CODE:
            yield Text(f"  ... and {count - MOST_PER_CODE} more of {code}", style="dim")
    yield Text()


def _finding_lines(finding: Finding, followers: int, source_line: Callable[[Place], str | None]) -> Iterator[Text]:
    place = finding.place
    where = f"{place.line}:{place.column}" if place else "-"
    head = Text(f"  {where:<8}")
    head.append(f"{finding.severity:<8}", style=_STYLES[finding.severity])
    head.append(finding.code, style="bold")
    yield head
    yield Text(f"          {finding.message}")
    if place is not None:
        yield from _source_lines(place, source_line(place))
    yield Text.assemble("          ", ("fix: ", "green"), finding.fix)
    if followers:
        more = "1 further finding follows" if followers == 1 else f"{followers} further findings follow"
        yield Text(f"          {more} from this one", style="dim")


def _source_lines(place: Place, line: str | None) -> Iterator[Text]:
    if line is None or not line.strip():
        return
    start = max(0, place.column - 1 - WIDEST_SOURCE // 2) if place.column > WIDEST_SOURCE else 0
    visible = line[start : start + WIDEST_SOURCE].replace("\t", " ")
    yield Text(f"          | {visible}", style="dim")
    yield Text(f"          | {' ' * (place.column - 1 - start)}^", style="dim")


def _checks_line(report: Report) -> Text:
    line = Text("checks:  ")
    for each in report.checks:
        word, style = _MARKS[each.status]
        line.append(f"{each.check} ")
        line.append(word, style=style)
        line.append("  ")
    line.rstrip()
    return line


def _skipped_lines(report: Report) -> Iterator[Text]:
    for each in report.checks:
        if each.status == "skipped":
            yield Text(f"         {each.check} {each.check.name.lower()}: {each.reason}", style="dim")


def verdict_line(report: Report) -> Text:
    """Return the one line that says it all."""
    stats = report.stats
    counts = ", ".join(f"{count} {name}{'s' * (count != 1)}" for name, count in report.severities.items())
    name = f"{report.pack_id} {report.pack_version}" if report.pack_id is not None else "the pack"
    proven = f"{stats.get('n_passed', 0)} of {stats.get('n_proven', 0)} tasks proven"
    if report.gold_eligible:
        return Text.assemble(("GOLD", "bold green"), f"  {name}: {proven}, {counts}")
    return Text.assemble(("NOT GOLD", "bold red"), f"  {name} ({report.tier}): {proven}, {counts}")
