"""`assay retry`: a run or a batch carried out again, of which only what is missing is computed."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.artifacts.ledger import PREFECT, new_run_id
from assay.artifacts.places import ledger_at
from assay.artifacts.store import write_whole
from assay.pipeline import PIPELINE
from assay.runner import RunRequest
from flows.command.exits import EXIT_OF_STATUS, CommandError, write_json
from flows.command.places import resolve_root
from flows.command.screen import make_console
from flows.recall import has_verdict, latest_runs, recalled_summary
from flows.summary import VERDICTS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from assay.artifacts.ledger import Ledger


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryOptions:
    """The options of `assay retry`.

    Attributes:
        run_id: of a run or a batch.
        from_stage: compute this stage and those that depend on it, although their artifacts are there.
    """

    run_id: str
    root: str | None
    from_stage: str | None
    as_json: bool


def run_retry(options: RetryOptions) -> int:
    """Carry a run out again the way it was carried out before; return the exit code.

    Of a batch, only packs without a verdict are run again, unless `from_stage` asks for all.

    Raises:
        CommandError: when the ledger knows no such run, there is no such stage, or there is no verdict.
    """
    names = [stage.name for stage in PIPELINE]
    if options.from_stage is not None and options.from_stage not in names:
        raise CommandError(f"there is no stage {options.from_stage}; there are {', '.join(names)}")
    root = resolve_root(options.root)
    ledger = ledger_at(root)
    batch = ledger.read_batch(options.run_id)
    if batch is not None:
        return _retry_batch(ledger, batch, root, options)
    run = ledger.read_run(options.run_id)
    if run is None:
        raise CommandError(f"no run {options.run_id} in {root}; `assay runs` lists them", "unknown_run")
    request = _again(run["request"], root, options)
    sys.stderr.write(f"run {request.run_id} takes up {options.run_id}\n")
    if run.get("road") == PREFECT:
        return _through_prefect([request], options, together=False)
    return _directly(request, options)


def _again(facts: Mapping[str, Any], root: str, options: RetryOptions) -> RunRequest:
    """Return the request of a run as a new one; the store is the one that its ledger was found in."""
    before = RunRequest.from_json(facts)
    return replace(before, root=root, run_id=new_run_id(), retry_of=before.run_id, recompute_from=options.from_stage)


def _retry_batch(ledger: Ledger, batch: Mapping[str, Any], root: str, options: RetryOptions) -> int:
    """Run the packs of a batch that came to no verdict, and bring the summary of the whole up to date."""
    latest = latest_runs(ledger.at_hand(), batch["runs"])
    wanted = [facts for facts in batch["requests"] if options.from_stage or not has_verdict(latest[facts["run_id"]])]
    done = len(batch["requests"]) - len(wanted)
    sys.stderr.write(f"batch {options.run_id}: {done} packs have their verdict, {len(wanted)} are run again\n")
    if wanted:
        before = [{**facts, "run_id": (latest[facts["run_id"]] or facts)["run_id"]} for facts in wanted]
        requests = [_again(facts, root, options) for facts in before]
        _through_prefect(requests, options, together=True, dask=batch.get("dask"), silent=options.as_json)
    summary = recalled_summary(root, batch)
    _tell(summary, batch.get("summary"), as_json=options.as_json)
    return EXIT_OF_STATUS[summary["status"]]


def _tell(summary: dict[str, Any], file: str | None, *, as_json: bool) -> None:
    """Say what became of the whole batch, and write its summary where it was the first time."""
    if file is not None:
        write_whole(Path(file), f"{json.dumps(summary, indent=2, sort_keys=True, ensure_ascii=False)}\n".encode())
    if as_json:
        write_json(summary)
        return
    totals = ", ".join(f"{count} {VERDICTS[status]}" for status, count in summary["totals"].items() if count)
    make_console().print(f"batch {summary['batch_id']} as a whole: {totals}", markup=False)


def _directly(request: RunRequest, options: RetryOptions) -> int:
    from flows.command.lean import keep_pandas_out
    from flows.command.validate import validate_once

    keep_pandas_out()
    return validate_once(request, "json" if options.as_json else "text")


def _through_prefect(
    requests: Sequence[RunRequest],
    options: RetryOptions,
    *,
    together: bool,
    dask: str | None = None,
    silent: bool = False,
) -> int:
    from flows.command.batch import BatchOptions, prove

    return prove(
        requests,
        BatchOptions(
            packs=tuple(each.pack or each.config or "" for each in requests),
            output_dir=None,
            root=requests[0].root,
            exhaustive=requests[0].exhaustive,
            mutants=requests[0].mutants,
            as_json=options.as_json,
            together=together,
            dask=dask,
        ),
        silent=silent,
    )
