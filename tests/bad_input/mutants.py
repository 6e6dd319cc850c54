"""Packs that differ from a good one in a single value, and what assay makes of them.

Every value of every YAML and JSON file of a pack, lists and mappings included, is replaced by each of eight others. The
mutated file is written as indented JSON, which YAML is a superset of, so that each value stands on a line of its own.

A mutant is *proven* by the whole pipeline, or *screened* by the stages that run no pack code. An error found by these
is an error in the report as well, so a screened mutant that has one needs no further proof that it is not Gold.
"""

from __future__ import annotations

import json
import shutil
import signal
import tempfile
import time
import traceback
from collections import Counter
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from assay.artifacts.ledger import DIRECT
from assay.artifacts.store import read_artifact
from assay.config import ConfigError
from assay.findings import Severity
from assay.pack.json_reader import read_json
from assay.pack.yaml_reader import read_yaml
from assay.pipeline import stage_named
from assay.runner import Run, RunRequest, carry_out
from assay.values import path_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from assay.findings import Finding
    from assay.pack.document import Document, NodePath

REPLACEMENTS: Final[tuple[Any, ...]] = (None, True, "", 0, -1, [], {}, "x")
CONFIGS: Final = ("validate.yaml", "validate_de.yaml")
"""Run configs: the pack is proven through the mutated one."""

LONGEST_S: Final = 60.0
"""How long one mutant may take; a good pack takes about a second."""

_STATIC_STAGES: Final = ("load", "bind", "plan", "render")


class TookTooLong(BaseException):
    """A mutant was given up. No `Exception`, so that nothing on the way takes it for a fault that it can report."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One value of one file, replaced."""

    file: str
    path: NodePath
    replacement: Any

    @property
    def name(self) -> str:
        """What it is called in results."""
        return f"{self.file} {path_text(self.path)} = {json.dumps(self.replacement)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of a mutant.

    Attributes:
        name: the mutant's name.
        proven: the whole pipeline was run, not only the stages that run no pack code.
        verdict: `gold`, `not_gold`, `refused` (a run config that cannot be used), `undecided` (screened, no error) or
            `fault` (of assay: an exception, an internal error, a mutant that took too long).
        errors: code -> how many findings of severity error.
        warnings: code -> how many findings of severity warning.
        told: where the nearest error stands: `there` (at the value or its key), `in_file` or `elsewhere`.
        seconds: how long it took.
        fault: what went wrong with assay itself.
    """

    name: str
    proven: bool
    verdict: str
    errors: dict[str, int]
    warnings: dict[str, int]
    told: str | None
    seconds: float
    fault: str | None = None

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def read_document(file: str, source: bytes) -> Document:
    document, _ = (read_yaml if file.endswith(".yaml") else read_json)(file, source)
    assert document is not None, f"{file} cannot be read"
    return document


def mutants_of(pack: Path) -> Iterator[Mutant]:
    """Yield every mutant of a pack, in a fixed order; a value is not replaced by itself."""
    for file in sorted(each for each in pack.iterdir() if each.suffix in (".yaml", ".json")):
        data = read_document(file.name, file.read_bytes()).data
        for path, value in _nodes(data, ()):
            for replacement in REPLACEMENTS:
                if type(value) is not type(replacement) or value != replacement:
                    yield Mutant(file.name, path, replacement)


def _nodes(value: Any, path: NodePath) -> Iterator[tuple[NodePath, Any]]:
    yield path, value
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, part in parts:
        yield from _nodes(part, (*path, step))


def mutated(data: Any, mutant: Mutant) -> bytes:
    """Return the text of a file with the mutant's value in place of the one that stood there."""
    top = [json.loads(json.dumps(data))]
    parent: Any = top
    steps = (0, *mutant.path)
    for step in steps[:-1]:
        parent = parent[step]
    parent[steps[-1]] = mutant.replacement
    return json.dumps(top[0], indent=1, ensure_ascii=False).encode()


class Laboratory:
    """A copy of a pack in which one file after the other is mutated. A context manager: leaving it removes the copy."""

    def __init__(self, pack: Path) -> None:
        self._home = tempfile.TemporaryDirectory(prefix="assay-mutants-")
        # Two levels down, as in the repository: the output folder of the run configs is `../../...`.
        self.pack = Path(self._home.name).resolve() / "packs" / pack.name
        shutil.copytree(pack, self.pack, ignore=shutil.ignore_patterns("__pycache__"))
        self._sources = {file.name: file.read_bytes() for file in self.pack.iterdir() if file.is_file()}

    def __enter__(self) -> Laboratory:
        return self

    def __exit__(self, *_: object) -> None:
        self._home.cleanup()

    def examine(self, mutant: Mutant, *, prove: bool = False) -> Outcome:
        """Prove a mutant; or screen it, and prove it only when nothing was found (an error decides)."""
        source = mutated(read_document(mutant.file, self._sources[mutant.file]).data, mutant)
        file = self.pack / mutant.file
        file.write_bytes(source)
        try:
            outcome = None if prove else self._observed(mutant, source, prove=False)
            if outcome is None or outcome.verdict == "undecided":
                outcome = self._observed(mutant, source, prove=True)
        finally:
            file.write_bytes(self._sources[mutant.file])
        return outcome

    def _observed(self, mutant: Mutant, source: bytes, *, prove: bool) -> Outcome:
        clock = time.perf_counter()
        fault: str | None = None
        findings: tuple[Finding, ...] = ()
        verdict = "fault"
        try:
            with _deadline(LONGEST_S), tempfile.TemporaryDirectory(prefix="store-", dir=self._home.name) as store:
                verdict, findings = (_prove if prove else screen)(self._request(mutant, store))
        except ConfigError as error:
            verdict, findings = "refused", error.findings
            fault = None if mutant.file in CONFIGS else f"a pack's file was refused as a run config: {error}"
        except (Exception, TookTooLong):
            fault = traceback.format_exc()
        internal = [each for each in findings if each.code == "internal_error"]
        if internal:
            fault = json.dumps([each.to_json() for each in internal], indent=1)
        errors = [each for each in findings if each.is_error]
        return Outcome(
            name=mutant.name,
            proven=prove,
            verdict="fault" if fault else verdict,
            errors=_counted(errors),
            warnings=_counted(each for each in findings if each.severity is Severity.WARNING),
            told=_told(mutant, source, errors),
            seconds=round(time.perf_counter() - clock, 3),
            fault=fault,
        )

    def _request(self, mutant: Mutant, store: str) -> RunRequest:
        is_config = mutant.file in CONFIGS
        return RunRequest(
            pack="" if is_config else str(self.pack),
            config=str(self.pack / mutant.file) if is_config else None,
            root=store,
        )


def _prove(request: RunRequest) -> tuple[str, tuple[Finding, ...]]:
    report = carry_out(request)
    assert report.status in ("gold", "not_gold")
    return report.status, report.findings


def screen(request: RunRequest) -> tuple[str, tuple[Finding, ...]]:
    """Run the stages that run no pack code; return `not_gold` or `undecided`, and what they found."""
    references: dict[str, Any] = {}
    findings: list[Finding] = []
    with Run(request) as run:
        run.begin(DIRECT)
        for name in _STATIC_STAGES:
            references[name] = run.execute(stage_named(name), references)
            artifact = read_artifact(Path(references[name].path))
            assert artifact is not None
            findings += run.findings_of(artifact)
    return "not_gold" if any(each.is_error for each in findings) else "undecided", tuple(findings)


def _counted(findings: Iterable[Finding]) -> dict[str, int]:
    return dict(sorted(Counter(each.code for each in findings).items()))


def _told(mutant: Mutant, source: bytes, errors: list[Finding]) -> str | None:
    """Return how near to the mutated value the nearest error stands; None without errors."""
    if not errors:
        return None
    document = read_document(mutant.file, source)
    spots = {document.place(mutant.path), document.place(mutant.path, key=True)}
    if any(each.place in spots for each in errors):
        return "there"
    return "in_file" if any(each.place and each.place.file == mutant.file for each in errors) else "elsewhere"


@contextmanager
def _deadline(seconds: float) -> Iterator[None]:
    """Give up after some seconds of real time."""

    def ring(*_: object) -> None:
        raise TookTooLong(f"more than {seconds} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def describe(outcome: Outcome) -> str:
    """Return one line about an outcome."""
    codes = ", ".join(outcome.errors) or f"no errors; {', '.join(outcome.warnings) or 'no warnings'}"
    return f"{outcome.verdict:9} {outcome.seconds:6.2f} s  {outcome.name}  ({codes})"
