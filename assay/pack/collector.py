"""Gathering findings: all of them, in bounded number."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from assay.findings import Finding, Place, Severity, code_named, finding
from assay.pack.bounds import MAX_LISTED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


@dataclass(slots=True)
class Collector:
    """Findings so far. Of one code in one file `MAX_LISTED` are kept and the rest is counted.

    Attributes:
        errors: how many errors were added, listed or not; readers of items compare it before and after.
    """

    errors: int = 0
    _kept: list[Finding] = field(default_factory=list)
    _seen: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, code: str, message: str, *, at: Place | None, severity: Severity | None = None, **facts: Any) -> None:
        """Make a finding from a declared code (see `assay.findings.finding`) and keep it."""
        if self._has_room(code, at, severity or code_named(code).severity):
            self._kept.append(finding(code, message, at=at, severity=severity, **facts))

    def keep(self, found: Finding) -> None:
        """Keep a finding that was made elsewhere."""
        if self._has_room(found.code, found.place, found.severity):
            self._kept.append(found)

    def _has_room(self, code: str, at: Place | None, severity: Severity) -> bool:
        """Count a finding and say whether it is to be listed."""
        key = (code, at.file if at is not None else "")
        self._seen[key] += 1
        self.errors += severity is Severity.ERROR
        return self._seen[key] <= MAX_LISTED

    def keep_all(self, found: Iterable[Finding]) -> None:
        """Keep findings that were made elsewhere."""
        for each in found:
            self.keep(each)

    def listed(self) -> tuple[Finding, ...]:
        """Return all findings in the order of reports, and one remark for each code of which some are not listed."""
        return tuple(sorted(self.kept(), key=Finding.sort_key))

    def kept(self) -> tuple[Finding, ...]:
        """Return all findings in the order in which they came, and then the remarks."""
        return (*self._kept, *further_findings(self._seen))


def further_findings(seen: Mapping[tuple[str, str], int]) -> Iterator[Finding]:
    """Yield a remark about each code of which there are more findings in a file than are listed.

    Args:
        seen: (code, file) -> how many findings there were; the file is empty for findings without a place.
    """
    for (code, file), count in seen.items():
        if count > MAX_LISTED:
            yield finding(
                "further_findings",
                f"{count - MAX_LISTED} further findings `{code}` in this file are not listed.",
                at=Place(file) if file else None,
                detail={"code": code, "count": count},
            )


def bounded(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return findings in their order; of one code in one file only `MAX_LISTED`, and a remark about the rest."""
    collector = Collector()
    collector.keep_all(findings)
    return collector.kept()
