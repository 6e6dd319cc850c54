"""What a benchmark measured, as a table for people.

A benchmark module `bench_<name>.py` offers `figures()`; `python -m benchmarks` runs them all and writes `RESULTS.md`.
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
    """Return what the figures depend on."""
    return {
        "date": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        "processor": _processor(),
        "usable cores": str(len(os.sched_getaffinity(0))),
        "kernel": f"{platform.system()} {platform.release()}",
        "Python": f"{platform.python_implementation()} {platform.python_version()}",
    }


def page(sections: Mapping[str, Sequence[Figure]]) -> str:
    """Return the page of results.

    Args:
        sections: name of a benchmark -> its figures.
    """
    parts = ["# What was measured", "", "Written by `make bench`. Ratios are taken within one run.", ""]
    parts += [f"* {name}: {value}" for name, value in machine().items()]
    for name, figures in sections.items():
        parts += ["", f"## {name}", "", *_table(HEADER, (figure.row() for figure in figures))]
    return "\n".join(parts) + "\n"


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
