"""The command line: one subcommand per thing that authors, operators and analysts do.

Options are declared with click itself: typer on top of it brings in pydantic, which alone costs an author's validation
a third of what a bare `import pyarrow.parquet` takes (`docs/design/startup.md`).
"""

from __future__ import annotations

import errno
import io
import os
import sys
from pathlib import Path
from typing import Any

import click

from flows.command.exits import GOLD, NO_VERDICT, CommandError, discard_output, no_verdict

_PLACE = click.Path(path_type=Path)

root_option = click.option("--root", help="Artifact store; default $ASSAY_ROOT, else a folder in your cache.")
output_option = click.option("--output-dir", type=_PLACE, help="Where this run's views go.")
json_option = click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
exhaustive_option = click.option("--exhaustive", is_flag=True, help="Prove every instance, not one per template.")
mutants_option = click.option(
    "--no-mutants", "mutants", is_flag=True, flag_value=False, default=True, help="Do not measure assertion strength."
)
packs_argument = click.argument("packs", nargs=-1, required=True)


class _InOrder(click.Group):
    """A group whose help lists its commands as they are declared, the author's first."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


@click.group(cls=_InOrder)
@click.version_option(package_name="assay", message="%(prog)s %(version)s")
def app() -> None:
    """Proves that a function-calling benchmark is right before any model is scored on it."""


@app.command()
@click.argument("pack", type=_PLACE, required=False)
@click.option("--config", type=_PLACE, help="Run config naming the pack.")
@output_option
@root_option
@click.option("--template", "templates", multiple=True, help="Prove only this one; may be repeated.")
@click.option("--language", help="Language of the conversations.")
@exhaustive_option
@mutants_option
@click.option("--watch", is_flag=True, help="Validate again whenever a file changes.")
@click.option("--format", "output_format", default="text", show_default=True, help="text, json, sarif or github.")
@json_option
def validate(
    pack: Path | None,
    config: Path | None,
    output_dir: Path | None,
    root: str | None,
    templates: tuple[str, ...],
    language: str | None,
    exhaustive: bool,
    mutants: bool,
    watch: bool,
    output_format: str,
    as_json: bool,
) -> int:
    """Prove one pack, directly: no server, about a second. The author's loop."""
    from flows.command.validate import ValidateOptions, run_validate

    options = ValidateOptions(
        pack=pack,
        config=config,
        output_dir=output_dir,
        root=root,
        templates=templates,
        language=language,
        exhaustive=exhaustive,
        mutants=mutants,
        watch=watch,
        output_format="json" if as_json else output_format,
    )
    return run_validate(options)


@app.command()
@click.option("--domain", required=True, help="What the pack is about; becomes its id.")
@click.option("--target", type=_PLACE, required=True, help="Folder to make; it must not exist.")
@click.option("--version", default="0.1.0", show_default=True, help="Version of the new pack.")
@click.option("--language", default="en", show_default=True, help="Language tag of its texts.")
@click.option("--transport", default="python", show_default=True, help="python or endpoint.")
@click.option("--include-held-out", is_flag=True, help="With a held-out policy.")
def scaffold(domain: str, target: Path, version: str, language: str, transport: str, include_held_out: bool) -> int:
    """Write a starter pack that is Gold at its first `assay validate`, unedited."""
    from assay.scaffold import ScaffoldError
    from assay.scaffold import scaffold as write_starter

    try:
        made = write_starter(
            domain,
            target,
            version=version,
            language=language,
            transport=transport,
            include_held_out=include_held_out,
        )
    except ScaffoldError as error:
        raise CommandError(str(error), "scaffold") from error
    sys.stdout.write(f"{made}\n")
    sys.stderr.write(f"Next: assay validate {made}\n")
    return 0


@app.command()
@packs_argument
@output_option
@root_option
@exhaustive_option
@mutants_option
@json_option
def run(
    packs: tuple[str, ...], output_dir: Path | None, root: str | None, exhaustive: bool, mutants: bool, as_json: bool
) -> int:
    """Prove packs through Prefect: one flow run for each, every stage a cached task."""
    return _prove(packs, output_dir, root, exhaustive=exhaustive, mutants=mutants, as_json=as_json, together=False)


@app.command()
@packs_argument
@output_option
@root_option
@click.option("--dask", help="Dask scheduler whose workers execute the stages: tcp://HOST:8786.")
@click.option(
    "--deadline",
    type=click.FloatRange(min=0, min_open=True),
    help="Seconds that a pack may take; one that takes longer ends without a verdict, and the others go on.",
)
@exhaustive_option
@mutants_option
@json_option
def batch(
    packs: tuple[str, ...],
    output_dir: Path | None,
    root: str | None,
    dask: str | None,
    deadline: float | None,
    exhaustive: bool,
    mutants: bool,
    as_json: bool,
) -> int:
    """Prove many packs through Prefect in one flow run; a bad or slow pack never stops the others."""
    return _prove(
        packs,
        output_dir,
        root,
        dask=dask,
        deadline_s=deadline,
        exhaustive=exhaustive,
        mutants=mutants,
        as_json=as_json,
        together=True,
    )


def _prove(packs: tuple[str, ...], output_dir: Path | None, root: str | None, **options: Any) -> int:
    from flows.command.batch import BatchOptions, run_packs_command

    return run_packs_command(BatchOptions(packs=packs, output_dir=output_dir, root=root, **options))


@app.command()
@root_option
@click.option("--most", type=click.IntRange(min=1), default=20, show_default=True, help="How many, newest first.")
@json_option
def runs(root: str | None, most: int, as_json: bool) -> int:
    """List the runs in the ledger."""
    from flows.command.history import list_runs

    return list_runs(root, most, as_json=as_json)


@app.command()
@click.argument("run_id")
@root_option
@json_option
def show(run_id: str, root: str | None, as_json: bool) -> int:
    """Show one run, stage by stage: cached or computed, how long, what it found."""
    from flows.command.history import show_run

    return show_run(run_id, root, as_json=as_json)


@app.command()
@click.argument("run_id")
@root_option
@click.option("--from", "from_stage", metavar="STAGE", help="Compute this stage and what depends on it in any case.")
@json_option
def retry(run_id: str, root: str | None, from_stage: str | None, as_json: bool) -> int:
    """Carry out a run or a batch again; what finished is served from the store, only the rest is computed."""
    from flows.command.retry import RetryOptions, run_retry

    return run_retry(RetryOptions(run_id=run_id, root=root, from_stage=from_stage, as_json=as_json))


@app.command()
@click.argument("run_id")
@root_option
@click.option("--stage", help="Only this one.")
@json_option
def why(run_id: str, root: str | None, stage: str | None, as_json: bool) -> int:
    """Say for each stage of a run why it was computed or cached, and what changed since the run before."""
    from flows.command.why import tell_why

    return tell_why(run_id, root, stage, as_json=as_json)


@app.group(cls=_InOrder)
def store() -> None:
    """Check, measure and clean the artifact store."""


@store.command()
@root_option
@json_option
def check(root: str | None, as_json: bool) -> int:
    """Read every artifact and hold the ledger against them; exit code 2 when something is lost or damaged."""
    from flows.command.store import run_check

    return run_check(root, as_json=as_json)


@store.command()
@root_option
@json_option
def sizes(root: str | None, as_json: bool) -> int:
    """Show how much room each stage of each pack takes."""
    from flows.command.store import show_sizes

    return show_sizes(root, as_json=as_json)


@store.command()
@root_option
@click.option("--keep-days", type=click.IntRange(min=0), default=30, show_default=True, help="Keep younger runs.")
@click.option("--keep-runs", type=click.IntRange(min=1), default=3, show_default=True, help="Keep so many of a pack.")
@click.option("--dry-run", is_flag=True, help="Remove nothing; say what would be removed.")
@json_option
def clean(root: str | None, keep_days: int, keep_runs: int, dry_run: bool, as_json: bool) -> int:
    """Remove old runs and what only they refer to; safe while runs are under way."""
    from assay.artifacts.upkeep.retention import Policy
    from flows.command.store import run_clean

    return run_clean(root, Policy(keep_days=keep_days, keep_runs=keep_runs), dry_run=dry_run, as_json=as_json)


@app.command()
@click.argument("query")
@root_option
@click.option("--format", "output_format", default="table", show_default=True, help="table, json or csv.")
def sql(query: str, root: str | None, output_format: str) -> int:
    """Ask the artifact store a question in SQL: a SELECT over the tables of docs/tables.md."""
    from flows.command.analyse import run_sql

    return run_sql(query, root, output_format)


@app.command()
@click.argument("code", required=False)
@json_option
def explain(code: str | None, as_json: bool) -> int:
    """Say what a finding's code means, why it matters and how to mend it; without a code, list them all."""
    from flows.command.explain import explain_code

    return explain_code(code, as_json=as_json)


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return its exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    _write_whatever_comes()
    try:
        result = app(given, prog_name="assay", standalone_mode=False)
        sys.stdout.flush()
    except BrokenPipeError:
        discard_output()
        return NO_VERDICT  # whoever reads our output has gone
    except (Exception, KeyboardInterrupt) as error:
        kind, message = _explain(error)
        return no_verdict(kind, message, as_json="--json" in given, resume=getattr(error, "resume", None))
    return result if isinstance(result, int) else GOLD


def _write_whatever_comes() -> None:
    """Escape what a stream cannot carry (letters that it lacks, file names that are not UTF-8); bear closed ones."""
    sys.stdout = sys.stdout or Path(os.devnull).open("w")  # noqa: SIM115 - it stays open to the end
    sys.stderr = sys.stderr or Path(os.devnull).open("w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _explain(error: BaseException) -> tuple[str, str]:
    """Return the kind of an error and what to tell a person: the command's outermost frame."""
    match error:
        case CommandError():
            return error.kind, str(error)
        case KeyboardInterrupt() | click.Abort():
            return "interrupted", "interrupted; nothing half-done was kept"
        case click.ClickException():
            return "usage", error.format_message()
        case OSError(errno=errno.ENOSPC):
            return "infrastructure", f"there is no space left: {error}"
        case _:
            return "internal", f"a fault of assay itself: {type(error).__name__}: {error} (details in {_trail(error)})"


def _trail(error: BaseException) -> str:
    """Write the traceback of a fault of ours to a file; return the file's name."""
    import tempfile
    import traceback

    with tempfile.NamedTemporaryFile("w", prefix="assay-crash-", suffix=".txt", delete=False) as file:
        traceback.print_exception(error, file=file)
    return file.name
