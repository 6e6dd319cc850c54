"""`assay validate`: the author's loop."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from assay.config import ConfigError
from assay.runner import ArtifactRef, NotReproducible, Run, RunError, RunRequest, carry_out
from assay.values import storable
from flows.command.exits import EXIT_OF_STATUS, CommandError, write_json
from flows.command.lean import keep_pandas_out
from flows.command.places import resolve_root
from flows.command.screen import make_console

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console

    from assay.checks.report import Report
    from assay.findings import Place


FORMATS: Final = ("text", "json", "sarif", "github")


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidateOptions:
    """The options of `assay validate`."""

    pack: Path | None
    config: Path | None
    output_dir: Path | None
    root: str | None
    templates: tuple[str, ...]
    language: str | None
    exhaustive: bool
    mutants: bool
    watch: bool
    output_format: str


def run_validate(options: ValidateOptions) -> int:
    """Validate once, or again at every change; return the exit code."""
    request = make_request(options)
    keep_pandas_out()
    if options.watch:
        return _watch(options, request)
    return validate_once(request, options.output_format)


def validate_once(request: RunRequest, output_format: str) -> int:
    """Carry out a request and tell what came of it; return the exit code.

    Raises:
        CommandError: when there is no verdict.
    """
    try:
        return _validate_once(request, output_format)
    except KeyboardInterrupt as error:
        text = "interrupted; nothing half-done was kept"
        raise CommandError(text, "interrupted", resume=_resume(request)) from error


def make_request(options: ValidateOptions) -> RunRequest:
    """Turn options into a request.

    Raises:
        CommandError: when neither a pack nor a config is named, both are, or what is named does not exist.
    """
    if options.output_format not in FORMATS:
        raise CommandError(f"--format takes {', '.join(FORMATS)}; not {options.output_format}")
    if (options.pack is None) == (options.config is None):
        raise CommandError("name a pack folder, or a run config with --config (one of the two)")
    named = options.pack or options.config
    if named is None or not os.path.exists(named):  # noqa: PTH110 - unlike Path.exists it bears names that are too long
        raise CommandError(f"there is nothing at {named}", "no_such_pack")
    return RunRequest(
        pack="" if options.pack is None else str(options.pack.absolute()),
        config=None if options.config is None else str(options.config.absolute()),
        root=resolve_root(options.root, options.output_dir),
        output_dir=None if options.output_dir is None else str(options.output_dir.absolute()),
        exhaustive=options.exhaustive,
        mutants=options.mutants,
        templates=tuple(map(storable, options.templates)),
        language=None if options.language is None else storable(options.language),
    )


def _validate_once(request: RunRequest, output_format: str) -> int:
    clock = time.perf_counter()
    references: list[ArtifactRef] = []
    try:
        report = carry_out(request, references.append)
    except ConfigError as error:
        raise CommandError(str(error), "config", resume=_resume(request)) from error
    except NotReproducible as error:
        raise CommandError(str(error), "not_reproducible") from error
    except RunError as error:
        raise CommandError(str(error), "infrastructure", resume=_resume(request)) from error
    if output_format == "text":
        _print_report(report, request, references, time.perf_counter() - clock)
    else:
        _write_for_machines(report, request, output_format)
    return EXIT_OF_STATUS[report.status]


def _resume(request: RunRequest) -> str | None:
    """Return the command that takes the run up again; None when the ledger does not know of it."""
    from assay.artifacts.places import ledger_at
    from flows.resuming import resume_command

    is_known = ledger_at(request.root).read_run(request.run_id) is not None
    return resume_command(request.run_id, request.root) if is_known else None


def _write_for_machines(report: Report, request: RunRequest, output_format: str) -> None:
    from assay.reporting import github, sarif

    if output_format == "json":
        write_json(report.to_json())
    elif output_format == "sarif":
        write_json(sarif(report, _folder_here(request)))
    else:
        sys.stdout.writelines(f"{line}\n" for line in github(report, _folder_here(request)))


def _folder_here(request: RunRequest) -> str:
    """Return the pack's folder as seen from the working folder, or its absolute path when it lies elsewhere."""
    folder = Run(request).config.manifest_path.parent
    here = Path.cwd()
    return (folder.relative_to(here) if folder.is_relative_to(here) else folder).as_posix()


def _print_report(report: Report, request: RunRequest, references: list[ArtifactRef], seconds: float) -> None:
    from assay.reporting import render_report

    console = make_console()
    for line in render_report(report, _source_reader(report, request)):
        console.print(line)
    cached = sum(each.cached for each in references)
    console.print(f"{len(references)} stages in {seconds:.2f} s, {cached} from the cache", style="dim")
    _print_places(console, request)


def _print_places(console: Console, request: RunRequest) -> None:
    if request.output_dir is not None:
        console.print(f"report and tables: {request.output_dir}", style="dim", markup=False)
    console.print(f"artifacts: {request.root}", style="dim", markup=False)


def _source_reader(report: Report, request: RunRequest) -> Callable[[Place], str | None]:
    """Return a function from a place to the line of source there, read from the snapshot that was judged."""
    from functools import cache

    from assay.artifacts.places import store_at

    folder = store_at(request.root).snapshots / (report.pack_fingerprint or "")

    @cache
    def lines(file: str) -> list[str]:
        try:
            return (folder / file).read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            return []

    def line_at(place: Place) -> str | None:
        found = lines(place.file)
        return found[place.line - 1] if 0 < place.line <= len(found) else None

    return line_at


def _watch(options: ValidateOptions, request: RunRequest) -> int:
    """Validate at every change until interrupted; return the last exit code."""
    folder = Path(request.pack or request.config or ".")
    folder = folder if folder.is_dir() else folder.parent
    seen: object = None
    code = 0
    try:
        while True:
            stamp = _stamp(folder)
            if stamp != seen:
                seen = stamp
                code = _validate_and_tell(options, request)
                sys.stderr.write(f"watching {folder} (interrupt to stop)\n")
            time.sleep(0.3)
    except KeyboardInterrupt:
        return code


def _validate_and_tell(options: ValidateOptions, request: RunRequest) -> int:
    try:
        return _validate_once(request, options.output_format)
    except CommandError as error:
        sys.stderr.write(f"assay: {error}\n")
        return 1


def _stamp(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """Return names, sizes and times of the pack's files: what changes when an author saves."""
    found = []
    for path in sorted(folder.rglob("*")):
        try:
            facts = path.stat()
        except OSError:
            continue
        if path.is_file():
            found.append((str(path), facts.st_size, facts.st_mtime_ns))
    return tuple(found)
