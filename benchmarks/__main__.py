"""Run the benchmarks, print their figures, and write `benchmarks/RESULTS.md`.

Run: `python -m benchmarks [--only engine,scale]`. Sections of the page that were not measured now stay as they are. The
exit code is 1 when a target is not met.
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pathlib import Path
from typing import Final

from benchmarks.results import Figure, lines, page

FOLDER: Final = Path(__file__).resolve().parent
RESULTS: Final = FOLDER / "RESULTS.md"
PREFIX: Final = "bench_"


def main() -> int:
    """Run what was asked for."""
    known = sorted(path.stem.removeprefix(PREFIX) for path in FOLDER.glob(f"{PREFIX}*.py"))
    chosen = _chosen(known)
    sections: dict[str, list[Figure]] = {}
    for name in chosen:
        figures: list[Figure] = import_module(f"benchmarks.{PREFIX}{name}").figures()
        print("\n".join([f"== {name}", *lines(figures), ""]), flush=True)
        sections[name] = figures
        before = RESULTS.read_text(encoding="utf-8") if RESULTS.exists() else ""
        RESULTS.write_text(page({name: sections[name]}, before), encoding="utf-8")
    return 1 if any(figure.met is False for figures in sections.values() for figure in figures) else 0


def _chosen(known: list[str]) -> list[str]:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", help=f"some of {', '.join(known)}; separated by commas")
    only = parser.parse_args().only
    wanted = known if only is None else only.split(",")
    if unknown := sorted(set(wanted) - set(known)):
        parser.error(f"there is no benchmark {', '.join(unknown)}; there are {', '.join(known)}")
    return [name for name in known if name in wanted]


if __name__ == "__main__":
    sys.exit(main())
