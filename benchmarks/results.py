"""What a benchmark measured, as a table for people.

A benchmark module `bench_<name>.py` offers `figures()`; `python -m benchmarks` runs them and writes `RESULTS.md`.
"""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_HEADING: Final = "\n## "
_INTRODUCTION: Final = """# What was measured

Written by `make bench` and, for a fleet of packs, `make fleet`. Ratios are taken within one run.
"""
HEADER: Final = ("figure", "measured", "target", "met", "remarks")


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One measured figure.

    Attributes:
        name: what was measured, in a few words.
        value: what came out.
        unit: of the value and the target: `x` for a ratio, `ms`, `MB` ...
        target: what was asked for; None for a figure that only informs.
        at_most: the value may not exceed the target; otherwise it may not fall below it.
        note: how it was measured, or where the time goes.
    """

    name: str
    value: float
    unit: str
    target: float | None = None
    at_most: bool = True
    note: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None without one."""
        if self.target is None:
            return None
        return self.value <= self.target if self.at_most else self.value >= self.target

    def row(self) -> tuple[str, ...]:
        """Return the figure as cells under `HEADER`."""
        bound = "at most" if self.at_most else "at least"
        target = "" if self.target is None else f"{bound} {_number(self.target)} {self.unit}"
        met = {None: "", True: "yes", False: "**no**"}[self.met]
        return self.name, f"{_number(self.value)} {self.unit}", target, met, self.note


def machine() -> dict[str, str]:
    """Return what the figures depend on, in words."""
    return {
        "date": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        "processor": _processor(),
        "cores": f"{len(os.sched_getaffinity(0))} usable cores",
        "kernel": f"{platform.system()} {platform.release()}",
        "Python": f"{platform.python_implementation()} {platform.python_version()}",
    }


def page(sections: Mapping[str, Sequence[Figure]], before: str = "") -> str:
    """Return the page of results. Each section says when and on what it was measured.

    Args:
        sections: name of a benchmark -> its figures.
        before: the page as it was: sections that were not measured now are taken over.
    """
    facts = f"Measured {', '.join(machine().values())}."
    now = {name: "\n".join([facts, "", *_table(HEADER, map(Figure.row, each))]) for name, each in sections.items()}
    known = dict(part.split("\n", maxsplit=1) for part in before.split(_HEADING)[1:])
    kept = {name: body.strip() for name, body in known.items()}
    parts = [f"{_HEADING.lstrip()}{name}\n\n{body}\n" for name, body in sorted({**kept, **now}.items())]
    return "\n".join([_INTRODUCTION, *parts])


def lines(figures: Sequence[Figure]) -> list[str]:
    """Return figures as aligned lines for a terminal."""
    rows = [HEADER, *(figure.row() for figure in figures)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADER))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return [_line(header), _line(["---"] * len(header)), *map(_line, rows)]


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"


def _number(value: float) -> str:
    """Return a number with about three digits that count."""
    if value == int(value) or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.2f}" if abs(value) >= 1 else f"{value:.3f}"


def _processor() -> str:
    facts = Path("/proc/cpuinfo")
    if facts.exists():
        for line in facts.read_text(encoding="utf-8").splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    return platform.processor() or platform.machine()
