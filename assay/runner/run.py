"""One pack going through the pipeline, stage by stage."""

from __future__ import annotations

import json
import os
import socket
import time
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Self

from assay.artifacts.codec import PackIdentity, findings_table, identity_of, read_findings
from assay.artifacts.keys import KeyParts, source_digest
from assay.artifacts.ledger import Ledger, StageRecord, now
from assay.artifacts.store import FINDINGS, Artifact, Store, StoreError, read_artifact, read_table, write_whole
from assay.config import RunConfig, config_for_pack, load_config
from assay.findings import Severity
from assay.oracle.engine import EngineUnavailable
from assay.pack.collector import bounded
from assay.pack.load import LoadResult, load_pack
from assay.pipeline import StageContext, StageOutput, stage_named
from assay.runner.breakdown import internal_error, nothing_found
from assay.runner.engines import engine_for, installed_versions
from assay.runner.request import ArtifactRef, RunRequest
from assay.runner.views import assemble, write_views
from assay.values import digest

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    import pyarrow as pa

    from assay.checks.report import Report
    from assay.findings import Finding
    from assay.oracle.engine import Engine
    from assay.pipeline import Stage


class RunError(Exception):
    """No verdict can be reached. The text is for people."""


class StageCrash(RunError):
    """A stage met a fault of the machine (no space, no memory, a pack that changed). Nothing was cached; try again."""


class Run:
    """One request being carried out. A context manager: leaving it ends all workers."""

    def __init__(self, request: RunRequest) -> None:
        self.request = request
        self.store = Store(Path(request.root))
        self.ledger = Ledger(Path(request.root))
        self._engine: Engine | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._engine is not None:
            self._engine.close()

    @cached_property
    def config(self) -> RunConfig:
        """The run config, from its file or from the pack folder alone.

        Raises:
            ConfigError: when it cannot be used.
        """
        request = self.request
        config = load_config(Path(request.config)) if request.config else config_for_pack(Path(request.pack))
        return config.with_options(
            exhaustive=request.exhaustive, templates=request.templates, language=request.language
        )

    @property
    def output_dir(self) -> Path | None:
        """Where the views of this run go: what the request says, else what the run config says."""
        return Path(self.request.output_dir) if self.request.output_dir is not None else self.config.output_dir

    @cached_property
    def loaded(self) -> LoadResult:
        """The pack, read once, into the snapshot that everything after it reads."""
        return load_pack(self.config, self.store.snapshots)

    @cached_property
    def identity(self) -> PackIdentity:
        """What the first three columns of every table say; empty texts when the pack could not be read."""
        pack = self.loaded.pack
        return PackIdentity(pack_id="", version="", fingerprint="") if pack is None else identity_of(pack)

    @property
    def engine(self) -> Engine:
        """The engine, made at first use: a run served from the cache starts no worker."""
        if self._engine is None:
            pack = self.loaded.pack
            if pack is None:
                raise RunError("there is no pack to execute")
            self._engine = engine_for(pack, self.config, self.store.snapshots)
        return self._engine

    def begin(self) -> None:
        """Open the run in the ledger.

        Raises:
            RunError: when the store or the views would lie in the pack, where they would change it.
            StageCrash: when nothing can be written there.
            ConfigError: when the run config cannot be used.
        """
        self._require_room_outside_the_pack()
        facts = {"request": self.request.to_json(), "status": "running", "started": now().isoformat()}
        try:
            self.ledger.write_run(self.request.run_id, facts)
        except OSError as error:
            raise StageCrash(f"the run ledger cannot be written: {error}") from error

    def _require_room_outside_the_pack(self) -> None:
        pack = self.config.manifest_path.parent.resolve()
        for what, folder in (("artifact store", Path(self.request.root)), ("output folder", self.output_dir)):
            if folder is not None and folder.resolve().is_relative_to(pack):
                raise RunError(f"the {what} {folder} lies in the pack folder {pack}; name one outside it")

    # Keys

    def key_parts(self, stage: Stage, upstream: Mapping[str, ArtifactRef]) -> KeyParts:
        """Return everything that the stage's artifact is a function of."""
        pack = self.loaded.pack
        if pack is None:
            parts = {"faults": digest([each.to_json() for each in self.loaded.findings])}
        else:
            parts = dict(pack.part_digests)
        return KeyParts(
            stage=stage.name,
            stage_version=stage.version,
            assay=source_digest(),
            inputs={name: upstream[name].key for name in stage.inputs},
            pack=parts,
            settings=self.config.settings(stage.settings),
            modules=self._outside_modules if stage.runs_pack_code and pack is not None else {},
        )

    @cached_property
    def _outside_modules(self) -> Mapping[str, str]:
        """Distributions that the pack's code imports, in the versions installed now (ruling 41).

        Their names are recorded by fingerprint, so that a cached run need not import the pack to compute its keys.
        """
        record = self.store.root / "modules" / f"{self.identity.fingerprint}.json"
        try:
            names: list[str] = json.loads(record.read_bytes())
        except (OSError, ValueError):
            backend, assertions = self.engine.inspect_backend(), self.engine.inspect_assertions()
            names = sorted(backend.modules | assertions.modules)
            if backend.failure is None and assertions.failure is None:
                record.parent.mkdir(parents=True, exist_ok=True)
                write_whole(record, json.dumps(names).encode())
        return installed_versions(names)

    # Stages

    def execute(self, stage: Stage, upstream: Mapping[str, ArtifactRef]) -> ArtifactRef:
        """Find the stage's artifact or compute it, and record it in the ledger.

        Raises:
            StageCrash: for a fault of the machine.
            ConfigError: when the run config cannot be used.
        """
        started, clock = now().isoformat(), time.perf_counter()
        try:
            artifact, cached = self._find_or_compute(stage, upstream)
            found = self.findings_of(artifact)
        except (OSError, MemoryError, StoreError, EngineUnavailable, StageCrash) as error:
            message = f"stage {stage.name} could not finish: {error}"
            self._record_crash(stage, started, time.perf_counter() - clock, message)
            raise StageCrash(message) from error
        reference = ArtifactRef(
            stage=stage.name,
            key=artifact.key,
            path=str(artifact.path),
            rows=dict(artifact.rows),
            findings={str(each): sum(one.severity is each for one in found) for each in Severity},
            cached=cached,
            final=artifact.final,
            seconds=round(time.perf_counter() - clock, 6),
            output="" if cached else self._printed(),
        )
        self._record(reference, started)
        return reference

    def _printed(self) -> str:
        outputs = () if self._engine is None else self._engine.output
        return "\n".join(f"{each.role} ({each.length} bytes):\n{each.text}" for each in outputs)

    def _find_or_compute(self, stage: Stage, upstream: Mapping[str, ArtifactRef]) -> tuple[Artifact, bool]:
        self._require_same_pack(stage, upstream)
        parts = self.key_parts(stage, upstream)
        rests_on_final = all(upstream[name].final for name in stage.inputs)
        kept = self.store.find(stage.name, self.identity.pack_id, parts.key) if rests_on_final else None
        if kept is not None:
            return kept, True
        output = self._compute(stage, upstream)
        found = findings_table(self.identity, {stage.name: bounded(output.findings)})
        contents = {**output.tables, FINDINGS: output.tables.get(FINDINGS, found)}
        keep = output.final and rests_on_final
        provisional_run = None if keep else self.request.run_id
        return self.store.write(parts, self.identity.pack_id, contents, provisional_run=provisional_run), False

    def _require_same_pack(self, stage: Stage, upstream: Mapping[str, ArtifactRef]) -> None:
        """Refuse to mix: stages of one run may execute in several processes, and all must see the same pack."""
        if "load" in stage.after and upstream["load"].key != self.key_parts(stage_named("load"), {}).key:
            raise StageCrash("the pack or assay itself changed while the run was under way")

    def _compute(self, stage: Stage, upstream: Mapping[str, ArtifactRef]) -> StageOutput:
        if self.loaded.pack is None and stage.needs_pack:
            return nothing_found(stage)
        artifacts = {name: self._artifact(upstream[name]) for name in stage.inputs}
        context = StageContext(
            loaded=self.loaded,
            config=self.config,
            identity=self.identity,
            tables={
                table: self._read(artifacts[name], table) for name in stage.inputs for table in stage_named(name).tables
            },
            findings={name: self.findings_of(artifact) for name, artifact in artifacts.items()},
            engine_source=lambda: self.engine,
        )
        try:
            return stage.compute(context)
        except (OSError, MemoryError, StoreError, EngineUnavailable, RunError):
            raise
        except Exception as error:  # ruling 1: a bug in a check is a finding, never a lost report
            return nothing_found(stage, internal_error(stage, error))

    # Artifacts and the ledger

    def _artifact(self, reference: ArtifactRef) -> Artifact:
        artifact = read_artifact(Path(reference.path))
        if artifact is None:
            raise StageCrash(f"the {reference.stage} artifact {reference.path} is missing or damaged")
        return artifact

    @staticmethod
    def _read(artifact: Artifact, table: str) -> pa.Table:
        found = read_table(artifact, table)
        if found is None:
            raise StoreError(f"the {artifact.stage} artifact {artifact.path} has no table {table}")
        return found

    @staticmethod
    def findings_of(artifact: Artifact) -> tuple[Finding, ...]:
        """Return the findings that an artifact holds."""
        found = read_table(artifact, FINDINGS)
        return () if found is None else read_findings(found)

    def _record(self, reference: ArtifactRef, started: str) -> None:
        record = StageRecord(
            stage=reference.stage,
            status="cached" if reference.cached else "computed",
            key=reference.key,
            path=reference.path,
            final=reference.final,
            started=started,
            seconds=reference.seconds,
            worker=_worker(),
        )
        try:
            self.ledger.write_stage(self.request.run_id, record)
        except OSError as error:
            raise StageCrash(f"cannot record stage {reference.stage} in the run ledger: {error}") from error

    def _record_crash(self, stage: Stage, started: str, seconds: float, message: str) -> None:
        record = StageRecord(
            stage=stage.name,
            status="crashed",
            key=None,
            path=None,
            final=False,
            started=started,
            seconds=round(seconds, 6),
            worker=_worker(),
            error=message,
        )
        with suppress(OSError):  # the crash itself is what must be told
            self.ledger.write_stage(self.request.run_id, record)

    def finish(self, references: Mapping[str, ArtifactRef]) -> Report:
        """Assemble the report, write the views and close the run in the ledger.

        Raises:
            StageCrash: when an artifact is gone or nothing can be written.
        """
        try:
            artifacts = {name: self._artifact(each) for name, each in references.items()}
            report = assemble(self.loaded, self.identity, artifacts)
            if self.output_dir is not None:
                write_views(self.output_dir, self.config.expt_name, report, artifacts)
            self._close(report)
        except (OSError, StoreError) as error:
            raise StageCrash(f"the report could not be written: {error}") from error
        return report

    def _close(self, report: Report) -> None:
        begun = self.ledger.read_run(self.request.run_id) or {"request": self.request.to_json(), "started": None}
        facts = {
            **begun,
            "pack_id": report.pack_id,
            "pack_version": report.pack_version,
            "pack_fingerprint": report.pack_fingerprint,
            "status": report.status,
            "tier": report.tier,
            "findings": report.severities,
            "finished": now().isoformat(),
        }
        self.ledger.write_run(self.request.run_id, facts)


def _worker() -> str:
    return f"{socket.gethostname()}:{os.getpid()}"
