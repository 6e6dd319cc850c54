"""`assay store check`, `assay store sizes`, `assay store clean`: care of the artifact store."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from assay.artifacts.upkeep.checking import check_store
from assay.artifacts.upkeep.cleaning import clean, plan_cleaning
from assay.artifacts.upkeep.premises import premises_at
from assay.artifacts.upkeep.sizes import sizes_of
from flows.command.exits import CommandError, write_json
from flows.command.places import resolve_root
from flows.command.screen import make_console, make_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.console import Console

    from assay.artifacts.upkeep.checking import Inspection
    from assay.artifacts.upkeep.cleaning import Cleaning
    from assay.artifacts.upkeep.premises import Premises
    from assay.artifacts.upkeep.retention import Policy
    from assay.artifacts.upkeep.sizes import Sizes

FAULTS_FOUND: Final = 2
_UNITS: Final = ("bytes", "kB", "MB", "GB", "TB")


def run_check(root: str | None, *, as_json: bool) -> int:
    """Look at everything in the store and tell what is wrong; return 2 when something is lost or damaged."""
    place = _existing(root)
    try:
        with _progress(quiet=as_json) as observe:
            inspection = check_store(place, observe)
    except OSError as error:
        raise CommandError(f"the store {place.address} cannot be read: {error}", "infrastructure") from error
    status = "faults" if inspection.harm else "whole"
    if as_json:
        write_json({"root": place.address, "status": status, **inspection.to_json()})
    else:
        _print_inspection(inspection)
    return FAULTS_FOUND if inspection.harm else 0


def show_sizes(root: str | None, *, as_json: bool) -> int:
    """Print how much room each stage of each pack takes."""
    place = _existing(root)
    try:
        sizes = sizes_of(place.files())
    except OSError as error:
        raise CommandError(f"the store {place.address} cannot be read: {error}", "infrastructure") from error
    if as_json:
        write_json({"root": place.address, **sizes.to_json()})
    else:
        _print_sizes(make_console(), sizes)
    return 0


def run_clean(root: str | None, policy: Policy, *, dry_run: bool, as_json: bool) -> int:
    """Remove old runs and what only they refer to, or only tell what that would be."""
    place = _existing(root)
    try:
        planned = plan_cleaning(place, policy)
        done = planned if dry_run else clean(place, planned)
    except OSError as error:
        text = f"the store {place.address} cannot be cleaned to the end: {error}; what is left is whole"
        raise CommandError(text, "infrastructure") from error
    if as_json:
        facts = {"root": place.address, "dry_run": dry_run, "runs": list(done.runs), "kept_runs": done.kept}
        write_json({**facts, "runs_under_way": done.under_way, "freed": done.freed.to_json()})
    else:
        _print_cleaning(done, dry_run=dry_run)
    return 0


def _existing(root: str | None) -> Premises:
    place = premises_at(resolve_root(root))
    try:
        if place.exists():
            return place
    except OSError as error:
        raise CommandError(str(error), "infrastructure") from error
    raise CommandError(f"there is no store at {place.address}", "no_such_store")


@contextmanager
def _progress(*, quiet: bool) -> Iterator[Callable[[int, int], None] | None]:
    """Show a bar on a terminal and nothing elsewhere."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("artifacts", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _print_inspection(inspection: Inspection) -> None:
    console = make_console()
    for fault in inspection.faults:
        word, colour = ("error", "red") if fault.harm else ("warning", "yellow")
        console.print(f"[{colour}]{word:7}[/] {fault.kind}  ", end="")
        console.print(f"{fault.path}\n        {fault.message}\n        fix: {fault.fix}", markup=False)
    _print_sizes(console, inspection.sizes)
    errors = sum(fault.harm for fault in inspection.faults)
    warnings = len(inspection.faults) - errors
    counted = f"{inspection.artifacts} artifacts and {inspection.runs} runs"
    console.print(f"{counted}: {errors} errors, {warnings} warnings", markup=False)


def _print_sizes(console: Console, sizes: Sizes) -> None:
    if sizes.tables:
        table = make_table("stage", "pack", "artifacts", "size", right=("artifacts", "size"))
        for (stage, pack), size in sorted(sizes.tables.items()):
            table.add_row(stage, pack, str(sizes.artifacts[stage, pack]), _size(size))
        console.print(table)
    others = ", ".join(f"{kind} {_size(size)}" for kind, size in sorted(sizes.others.items()))
    console.print(f"other files: {others or 'none'}; in all {_size(sizes.total)}", markup=False)


def _print_cleaning(done: Cleaning, *, dry_run: bool) -> None:
    console = make_console()
    freed = done.freed
    _print_sizes(console, freed)
    what = "would be removed" if dry_run else "removed"
    under_way = f", {done.under_way} of them under way" if done.under_way else ""
    text = f"{what}: {len(done.runs)} runs and {len(done.files)} files, {_size(freed.total)}; {done.kept} runs kept"
    console.print(f"{text}{under_way}", markup=False)


def _size(count: float) -> str:
    """Return a number of bytes as people read it."""
    unit = 0
    while count >= 1000 and unit < len(_UNITS) - 1:
        count, unit = count / 1000, unit + 1
    return f"{count:.0f} {_UNITS[unit]}" if unit == 0 else f"{count:.1f} {_UNITS[unit]}"
