"""The command line: one subcommand per thing that authors, operators and analysts do."""

from __future__ import annotations

import errno
import io
import os
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Annotated

import typer

from flows.command.exits import GOLD, NO_VERDICT, CommandError, discard_output, no_verdict

app = typer.Typer(
    name="assay",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    help="Proves that a function-calling benchmark is right before any model is scored on it.",
)

RootOption = Annotated[
    str | None,
    typer.Option("--root", help="Artifact store; default $ASSAY_ROOT, else a folder in your cache."),
]
OutputOption = Annotated[Path | None, typer.Option("--output-dir", help="Where this run's views go.")]
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")]
ExhaustiveOption = Annotated[bool, typer.Option("--exhaustive", help="Prove every instance, not one per template.")]
LanguageOption = Annotated[str | None, typer.Option("--language", help="Language of the conversations.")]
PacksArgument = Annotated[list[str], typer.Argument(help="Pack folders, globs, or files that list packs.")]


@app.command()
def validate(
    pack: Annotated[Path | None, typer.Argument(help="Pack folder.")] = None,
    config: Annotated[Path | None, typer.Option("--config", help="Run config naming the pack.")] = None,
    output_dir: OutputOption = None,
    root: RootOption = None,
    template: Annotated[list[str] | None, typer.Option("--template", help="Prove only this one.")] = None,
    language: LanguageOption = None,
    exhaustive: ExhaustiveOption = False,
    watch: Annotated[bool, typer.Option("--watch", help="Validate again whenever a file changes.")] = False,
    output_format: Annotated[str, typer.Option("--format", help="text, json, sarif or github.")] = "text",
    as_json: JsonOption = False,
) -> int:
    """Prove one pack, directly: no server, about a second. The author's loop."""
    from flows.command.validate import ValidateOptions, run_validate

    options = ValidateOptions(
        pack=pack,
        config=config,
        output_dir=output_dir,
        root=root,
        templates=tuple(template or ()),
        language=language,
        exhaustive=exhaustive,
        watch=watch,
        output_format="json" if as_json else output_format,
    )
    return run_validate(options)


@app.command()
def scaffold(
    domain: Annotated[str, typer.Option("--domain", help="What the pack is about; becomes its id.")],
    target: Annotated[Path, typer.Option("--target", help="Folder to make; it must not exist.")],
    version: Annotated[str, typer.Option("--version", help="Version of the new pack.")] = "0.1.0",
    language: Annotated[str, typer.Option("--language", help="Language tag of its texts.")] = "en",
    transport: Annotated[str, typer.Option("--transport", help="python or endpoint.")] = "python",
    include_held_out: Annotated[bool, typer.Option("--include-held-out", help="With a held-out policy.")] = False,
) -> int:
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
def run(
    packs: PacksArgument,
    output_dir: OutputOption = None,
    root: RootOption = None,
    exhaustive: ExhaustiveOption = False,
    as_json: JsonOption = False,
) -> int:
    """Prove packs through Prefect: one flow run for each, every stage a cached task."""
    return _prove(tuple(packs), output_dir, root, exhaustive=exhaustive, as_json=as_json, together=False)


@app.command()
def batch(
    packs: PacksArgument,
    output_dir: OutputOption = None,
    root: RootOption = None,
    exhaustive: ExhaustiveOption = False,
    as_json: JsonOption = False,
) -> int:
    """Prove many packs through Prefect in one flow run; a bad or slow pack never stops the others."""
    return _prove(tuple(packs), output_dir, root, exhaustive=exhaustive, as_json=as_json, together=True)


def _prove(packs: tuple[str, ...], output_dir: Path | None, root: str | None, **flags: bool) -> int:
    from flows.command.batch import BatchOptions, run_packs_command

    return run_packs_command(BatchOptions(packs=packs, output_dir=output_dir, root=root, **flags))


@app.command()
def runs(
    root: RootOption = None,
    most: Annotated[int, typer.Option("--most", min=1, help="How many, newest first.")] = 20,
    as_json: JsonOption = False,
) -> int:
    """List the runs in the ledger."""
    from flows.command.history import list_runs

    return list_runs(root, most, as_json=as_json)


@app.command()
def show(run_id: Annotated[str, typer.Argument()], root: RootOption = None, as_json: JsonOption = False) -> int:
    """Show one run, stage by stage: cached or computed, how long, what it found."""
    from flows.command.history import show_run

    return show_run(run_id, root, as_json=as_json)


@app.command()
def sql(
    query: Annotated[str, typer.Argument(help="A SELECT over the tables of docs/tables.md.")],
    root: RootOption = None,
    output_format: Annotated[str, typer.Option("--format", help="table, json or csv.")] = "table",
) -> int:
    """Ask the artifact store a question in SQL."""
    from flows.command.analyse import run_sql

    return run_sql(query, root, output_format)


@app.command()
def explain(
    code: Annotated[str | None, typer.Argument(help="A finding's code; leave out for the list.")] = None,
    as_json: JsonOption = False,
) -> int:
    """Say what a finding's code means, why it matters and how to mend it."""
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
        return no_verdict(kind, message, as_json="--json" in given)
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
        case KeyboardInterrupt() | typer.Abort():
            return "interrupted", "interrupted; nothing half-done was kept"
        case _ if hasattr(error, "format_message"):  # typer's errors of usage; their class is click's or its own
            return "usage", error.format_message()
        case OSError(errno=errno.ENOSPC):
            return "infrastructure", f"there is no space left: {error}"
        case _:
            return "internal", f"a fault of assay itself: {type(error).__name__}: {error} (details in {_trail(error)})"


def _trail(error: BaseException) -> str:
    """Write the traceback of a fault of ours to a file; return the file's name."""
    with tempfile.NamedTemporaryFile("w", prefix="assay-crash-", suffix=".txt", delete=False) as file:
        traceback.print_exception(error, file=file)
    return file.name
