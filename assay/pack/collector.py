"""Gathering findings while a pack is read: all of them, in bounded number."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from assay.findings import Finding, Place, finding
from assay.pack.bounds import MAX_LISTED

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(slots=True)
class Collector:
    """Findings so far. Of one code in one file `MAX_LISTED` are kept and the rest is counted.

    Attributes:
        errors: how many errors were added, listed or not; readers of items compare it before and after.
    """

    errors: int = 0
    _kept: list[Finding] = field(default_factory=list)
    _seen: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, code: str, message: str, *, at: Place | None, **facts: Any) -> Finding:
        """Make a finding from a declared code (see `assay.findings.finding`), keep it and return it."""
        return self.keep(finding(code, message, at=at, **facts))

    def keep(self, found: Finding) -> Finding:
        """Keep a finding that was made elsewhere."""
        key = (found.code, found.place.file if found.place else "")
        self._seen[key] += 1
        self.errors += found.is_error
        if self._seen[key] <= MAX_LISTED:
            self._kept.append(found)
        return found

    def keep_all(self, found: Iterable[Finding]) -> None:
        """Keep findings that were made elsewhere."""
        for each in found:
            self.keep(each)

    def listed(self) -> tuple[Finding, ...]:
        """Return all findings in the order of reports, and one remark for each code of which some are not listed."""
        cut = [
            finding(
                "further_findings",
                f"{count - MAX_LISTED} further findings `{code}` in this file are not listed.",
                at=Place(file) if file else None,
                detail={"code": code, "count": count},
            )
            for (code, file), count in self._seen.items()
            if count > MAX_LISTED
        ]
        return tuple(sorted((*self._kept, *cut), key=Finding.sort_key))
