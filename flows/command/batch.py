"""`assay run` and `assay batch`: packs through Prefect, with progress, a table at the end, a summary for scripts."""

from __future__ import annotations

import shlex
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from assay.pipeline import PIPELINE
from flows.cluster import ClusterUnavailable, require_dask
from flows.command.exits import EXIT_OF_STATUS, CommandError, write_json
from flows.command.places import resolve_root
from flows.command.screen import make_console, make_table
from flows.embedded_server import ServerUnavailable
from flows.outcome import worst
from flows.progress import BatchBegun, PackEnded, ServerStarting, StageEnded
from flows.requests import requests_for
from flows.running import run_packs
from flows.summary import VERDICTS, headline, summary_of, write_summary

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rich.console import Console
    from rich.table import Table

    from assay.runner import RunRequest
    from flows.outcome import PackOutcome
    from flows.progress import Observer, Progress

_COLOURS = {"gold": "green", "not_gold": "red", "error": "bold red"}


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchOptions:
    """The options of `assay run` and `assay batch`. `together` is one flow run for all packs.

    `dask` is the address of a scheduler, for packs proven together; `deadline_s` is what each pack may take.
    """

    packs: tuple[str, ...]
    output_dir: Path | None
    root: str | None
    exhaustive: bool
    mutants: bool
    as_json: bool
    together: bool
    dask: str | None = None
    deadline_s: float | None = None


def run_packs_command(options: BatchOptions) -> int:
    """Prove the packs and tell what came of them; return the exit code of the worst."""
    return prove(make_requests(options), options)


def prove(requests: Sequence[RunRequest], options: BatchOptions, *, silent: bool = False) -> int:
    """Prove what is asked for and tell what came of it; return the exit code of the worst.

    Args:
        requests: one for each pack.
        options: how.
        silent: leave the telling to the caller.

    Raises:
        CommandError: when there is nothing to run on, or the summary cannot be written.
    """
    if options.dask is not None:
        _require_dask()
    clock = time.perf_counter()
    output_dir = None if options.output_dir is None else str(options.output_dir.absolute())
    try:
        with _progress(len(requests), quiet=options.as_json) as observe:
            batch = _BatchNotes(observe)
            outcomes = run_packs(
                requests, together=options.together, output_dir=output_dir, dask=options.dask, observe=batch.note
            )
        if options.output_dir is not None and not options.together:
            write_summary(options.output_dir / "summary.json", outcomes)
    except ServerUnavailable as error:
        raise CommandError(str(error), "server") from error
    except OSError as error:
        raise CommandError(f"the summary cannot be written: {error}", "infrastructure") from error
    if options.as_json and not silent:
        write_json(summary_of(outcomes, batch.batch_id))
    elif not silent:
        _print_outcomes(outcomes, options, requests[0].root, time.perf_counter() - clock)
        batch.print()
    return EXIT_OF_STATUS[worst(outcomes)]


class _BatchNotes:
    """Keeps what is told of the batch itself, and passes everything on."""

    def __init__(self, observe: Observer | None) -> None:
        self._observe = observe
        self._begun: BatchBegun | None = None

    @property
    def batch_id(self) -> str | None:
        """The batch in the ledger; None for packs that are proven one by one."""
        return None if self._begun is None else self._begun.batch_id

    def note(self, progress: Progress) -> None:
        """Be told of something."""
        if isinstance(progress, BatchBegun):
            self._begun = progress
        if self._observe is not None:
            self._observe(progress)

    def print(self) -> None:
        """Say what the batch is called and where its page is."""
        if self._begun is not None:
            page = "" if self._begun.page is None else f"  {self._begun.page}"
            make_console().print(f"batch:     {self._begun.batch_id}{page}", style="dim")


def make_requests(options: BatchOptions) -> list[RunRequest]:
    """Turn options into one request for each pack. A pack that is not there costs no other its verdict.

    Raises:
        CommandError: when nothing that is named is there.
    """
    views = None if options.output_dir is None else options.output_dir / "packs"
    root = resolve_root(options.root, options.output_dir)
    try:
        requests = requests_for(
            options.packs,
            output_dir=views,
            root=root,
            exhaustive=options.exhaustive,
            mutants=options.mutants,
            deadline_s=options.deadline_s,
        )
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"a list of packs cannot be read: {error}", "unreadable_list") from error
    if not any(Path(each.pack).exists() for each in requests):
        raise CommandError(f"no pack at {', '.join(options.packs)}", "no_such_pack")
    return requests


def _require_dask() -> None:
    try:
        require_dask()
    except ClusterUnavailable as error:
        raise CommandError(str(error), "dask") from error


@contextmanager
def _progress(packs: int, *, quiet: bool) -> Iterator[Observer | None]:
    """Show a bar on a terminal, plain lines elsewhere, nothing when only JSON is wanted."""
    if quiet:
        yield None
    elif sys.stderr.isatty():
        with _bar(packs) as observe:
            yield observe
    else:
        yield _plain_lines


def _plain_lines(progress: Progress) -> None:
    """Write a line when there is news for a log: a stage that ended well is none, one that crashed is."""
    match progress:
        case ServerStarting():
            line = _server_text(progress)
        case BatchBegun(batch_id=batch_id, packs=packs, page=page):
            line = f"batch {batch_id}: {packs} pack{'' if packs == 1 else 's'}{'' if page is None else f', {page}'}"
        case StageEnded(name=name, stage=stage) if stage.error is not None:
            line = f"{name.pack_id}: {stage.stage} crashed: {stage.error}"
        case PackEnded(outcome=outcome):
            line = f"{outcome.pack_id}: {VERDICTS[outcome.status]} in {outcome.seconds:.1f} s"
        case _:
            return
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


def _server_text(progress: ServerStarting) -> str:
    note = " (the first start creates its database: about half a minute)" if progress.first else ""
    return f"starting Prefect's embedded server{note}"


@contextmanager
def _bar(packs: int) -> Iterator[Observer]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("stages, {task.fields[ended]} of {task.fields[packs]} packs"),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=packs * len(PIPELINE), packs=packs, ended=0)

        def observe(progress: object) -> None:
            match progress:
                case ServerStarting():
                    bar.update(task, description=_server_text(progress))
                case StageEnded(name=name, stage=stage):
                    bar.update(task, advance=1, description=f"{name.pack_id}: {stage.stage} {stage.status}")
                case PackEnded(outcome=outcome):
                    ended = bar.tasks[0].fields["ended"] + 1
                    bar.update(task, ended=ended, description=f"{outcome.pack_id}: {VERDICTS[outcome.status]}")

        yield observe


def _print_outcomes(outcomes: Sequence[PackOutcome], options: BatchOptions, root: str, seconds: float) -> None:
    console = make_console()
    console.print(_table(outcomes))
    console.print(f"{headline(outcomes)}, in {seconds:.1f} s; {_cache_text(outcomes)}")
    for outcome in outcomes:
        if outcome.error is not None:
            console.print(f"{outcome.name.pack_id}: {outcome.error}", style="red", markup=False)
    console.print(f"artifacts: {root}", style="dim")
    if options.output_dir is not None:
        console.print(f"summary:   {options.output_dir / 'summary.json'}", style="dim")
    _print_next(console, outcomes, root)


def _table(outcomes: Sequence[PackOutcome]) -> Table:
    numbers = ("tasks", "calls", "cached", "seconds")
    table = make_table("pack", "tier", "verdict", "tasks", "calls", "findings", "cached", "seconds", right=numbers)
    for each in outcomes:
        stats = (each.report or {}).get("stats") or {}
        table.add_row(
            str(each.name),
            str((each.report or {}).get("tier") or "-"),
            f"[{_COLOURS[each.status]}]{VERDICTS[each.status]}[/]",
            str(stats.get("n_proven", "-")),
            str(stats.get("n_executed_calls", "-")),
            _findings_text(each.counts("severity")),
            f"{each.cached}/{len(PIPELINE)}",
            f"{each.seconds:.2f}",
        )
    return table


def _findings_text(severities: Mapping[str, int]) -> str:
    counted = [(severities.get(name, 0), name) for name in ("error", "warning", "note")]
    return ", ".join(f"{count} {name}{'s' * (count != 1)}" for count, name in counted if count) or "none"


def _cache_text(outcomes: Sequence[PackOutcome]) -> str:
    cached = sum(each.cached for each in outcomes)
    total = len(outcomes) * len(PIPELINE)
    if cached == total:
        return f"all {total} stages were served from the cache"
    return f"{cached} of {total} stages were served from the cache"


def _print_next(console: Console, outcomes: Sequence[PackOutcome], root: str) -> None:
    red = next((each for each in outcomes if each.status == "not_gold"), None)
    if red is not None:
        what = ["--config", red.request.config] if red.request.config else [red.request.pack]
        console.print(f"next: {shlex.join(['assay', 'validate', *what])}", markup=False)
    else:
        query = "select pack_id, template_id, count(*) calls from replays where attempt = 1 group by all order by all"
        console.print(f'next: assay sql "{query}" --root {shlex.quote(root)}', markup=False)
