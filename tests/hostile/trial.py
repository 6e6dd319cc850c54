"""Letting a hostile pack go through the whole pipeline, in this process, and looking at what came of it."""

from __future__ import annotations

import json
import os
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq

from assay.findings import Severity
from assay.runner import RunRequest, carry_out
from tests.hostile.corpus import config_text, write_pack
from tests.hostile.surroundings import ENVIRONMENT_SECRET, Surroundings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from assay.checks.report import Report
    from tests.hostile.corpus import Attempt


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What came of one attempt.

    Attributes:
        seen: what the calls reported, each thing once.
        printed: what pack code printed, as far as it was kept.
        seconds: how long the validation took.
        grown_mib: by how much our process grew.
    """

    report: Report
    seen: list[Any]
    printed: str
    seconds: float
    grown_mib: float

    @property
    def finds(self) -> tuple[str, ...]:
        """The codes of all errors that do not follow from others, sorted."""
        return tuple(sorted({each.code for each in self.report.findings if each.is_error and each.root is None}))

    def places(self, file: str) -> set[int]:
        """Return the lines of a file at which errors stand."""
        errors = [each for each in self.report.findings if each.severity is Severity.ERROR]
        return {each.place.line for each in errors if each.place is not None and each.place.file == file}


def try_it(attempt: Attempt, folder: Path) -> Trial:
    """Write the pack, validate it, and require that nothing outside has changed, survived or been told."""
    surroundings = Surroundings(folder)
    with _own_temporary_folder(folder), surroundings:
        config = prepare(attempt, surroundings)
        printed: list[str] = []
        started = time.monotonic()
        report = carry_out(
            RunRequest(
                config=str(config),
                root=str(surroundings.store),
                output_dir=str(surroundings.output),
                mutants=attempt.mutants,
            ),
            lambda reference: printed.append(reference.output),
        )
        seconds = time.monotonic() - started
        grown_mib = surroundings.grown_mib
        surroundings.require_unharmed()
        assert surroundings.secret not in json.dumps(report.to_json())
        assert surroundings.secret not in "".join(printed)
        return Trial(
            report=report,
            seen=_seen(surroundings.output),
            printed="".join(printed),
            seconds=seconds,
            grown_mib=grown_mib,
        )


def prepare(attempt: Attempt, surroundings: Surroundings) -> Path:
    """Write pack and run config; return the latter."""
    write_pack(attempt, surroundings.pack, surroundings.target)
    config = surroundings.folder / "run.yaml"
    config.write_text(config_text(attempt, surroundings.pack, surroundings.output), encoding="utf-8")
    surroundings.note_files()
    return config


def _seen(output: Path) -> list[Any]:
    """Return what results say under `seen`, each thing once, from all calls of the replays."""
    found: list[Any] = []
    for table in output.rglob("replays.parquet"):
        for text in pq.read_table(table, columns=["result"])["result"].to_pylist():
            result = None if text is None else json.loads(text)
            if isinstance(result, dict) and "seen" in result and result["seen"] not in found:
                found.append(result["seen"])
    return found


@contextmanager
def _own_temporary_folder(folder: Path) -> Iterator[None]:
    """Keep temporary files below a folder, whose name then marks all processes; plant a secret in the environment."""
    temporary = folder / "temporary"
    temporary.mkdir()
    before, tempfile.tempdir = tempfile.tempdir, str(temporary)
    os.environ["ASSAY_TEST_SECRET"] = ENVIRONMENT_SECRET
    try:
        yield
    finally:
        tempfile.tempdir = before
        del os.environ["ASSAY_TEST_SECRET"]
