"""One pack going through the pipeline, stage by stage."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Self

from assay.artifacts.codec import PackIdentity, identity_of, read_findings
from assay.artifacts.keys import KeyParts, source_digest
from assay.artifacts.ledger import SERVED, now
from assay.artifacts.places import ledger_at, store_at
from assay.artifacts.store import (
    FINDINGS,
    Artifact,
    StoreError,
    read_rows,
    read_table,
    write_whole,
)
from assay.config import RunConfig, config_for_pack, load_config
from assay.findings import Severity
from assay.oracle.engine import EngineUnavailable
from assay.pack.load import LoadResult, identify_pack, load_pack
from assay.pipeline import PIPELINE, StageContext, stage_named, stages_from
from assay.runner.breakdown import broken_down
from assay.runner.deadline import Deadline
from assay.runner.engines import engine_for, installed_versions
from assay.runner.errors import DeadlinePassed, NotReproducible, RunError, StageCrash
from assay.runner.intake import take_in
from assay.runner.recompute import aside, require_same_bytes
from assay.runner.record import RunRecord
from assay.runner.request import ArtifactRef, RunRequest
from assay.runner.views import assemble, write_views
from assay.values import digest

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from assay.artifacts.artifact_writer import ArtifactWriter
    from assay.checks.report import Report
    from assay.findings import Finding
    from assay.oracle.engine import Engine
    from assay.oracle.evidence import AssertionModule, BackendSurface
    from assay.pack.model import KnownBy
    from assay.pipeline import Stage


class Run:
    """One request being carried out. A context manager: leaving it ends all workers.

    Args:
        request: what to run.
        loaded: its pack, when this process has loaded it before.
    """

    def __init__(self, request: RunRequest, *, loaded: LoadResult | None = None) -> None:
        self.request = request
        if loaded is not None:
            self.loaded = loaded
        self.deadline = Deadline(request.deadline_s, self._stop_workers)
        self.store = store_at(request.root)
        self.record = RunRecord(ledger_at(request.root), request)
        self._engine: Engine | None = None
        self._opened: dict[str, Artifact] = {}

    def __enter__(self) -> Self:
        self.deadline.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.deadline.cancel()
        if self._engine is not None:
            self._engine.close()

    def _stop_workers(self) -> None:
        if self._engine is not None:
            self._engine.stop()

    @cached_property
    def config(self) -> RunConfig:
        """The run config, from its file or from the pack folder alone.

        Raises:
            ConfigError: when it cannot be used.
        """
        request = self.request
        config = load_config(Path(request.config)) if request.config else config_for_pack(Path(request.pack))
        return config.with_options(
            exhaustive=request.exhaustive,
            templates=request.templates,
            mutants=request.mutants,
            language=request.language,
        )

    @property
    def output_dir(self) -> Path | None:
        """Where the views of this run go: what the request says, else what the run config says."""
        return Path(self.request.output_dir) if self.request.output_dir is not None else self.config.output_dir

    @cached_property
    def loaded(self) -> LoadResult:
        """The pack, read once, into the snapshot that everything after it reads.

        Raises:
            StageCrash: when the run has begun to work with another one.
        """
        loaded = load_pack(self.config, self.store.snapshots)
        if "known_by" in self.__dict__ and self.known_by != _known_by(loaded):
            raise StageCrash("the pack changed while the run was under way")
        return loaded

    @property
    def loaded_already(self) -> LoadResult | None:
        """The pack, if it has been read by now."""
        return self.loaded if "loaded" in self.__dict__ else None

    @cached_property
    def known_by(self) -> KnownBy | None:
        """What the pack is known by, without reading it whole if it has not been; None when it could not be read."""
        loaded = self.loaded_already
        return identify_pack(self.config, self.store.snapshots) if loaded is None else _known_by(loaded)

    @cached_property
    def identity(self) -> PackIdentity:
        """What the first three columns of every table say; empty texts when the pack could not be read."""
        return identity_of(self.known_by)

    @property
    def engine(self) -> Engine:
        """The engine, made at first use: a run served from the cache starts no worker."""
        if self._engine is None:
            pack = self.loaded.pack
            if pack is None:
                raise RunError("there is no pack to execute")
            self._engine = engine_for(pack, self.config, self.store.snapshots)
            self.deadline.require()  # its end may have come while there was no engine to stop
        return self._engine

    def begin(self, road: str) -> None:
        """Open the run in the ledger. A run that was begun before (Prefect's own retry) is another attempt at it.

        Args:
            road: how it is carried out, `DIRECT` or `PREFECT`: a retry takes the same.

        Raises:
            RunError: when the store or the views would lie in the pack, where they would change it.
            StageCrash: when nothing can be written there.
            ConfigError: when the run config cannot be used.
        """
        self._require_room_outside_the_pack()
        self.record.begin(road)

    def _require_room_outside_the_pack(self) -> None:
        pack = self.config.manifest_path.parent.resolve()
        for what, folder in (("artifact store", self.store.root), ("output folder", self.output_dir)):
            if folder is not None and folder.resolve().is_relative_to(pack):
                raise RunError(f"the {what} {folder} lies in the pack folder {pack}; name one outside it")

    # Keys

    def key_parts(self, stage: Stage, upstream: Mapping[str, ArtifactRef]) -> KeyParts:
        """Return everything that the stage's artifact is a function of."""
        known = self.known_by
        if known is None:
            parts = {"faults": digest([each.to_json() for each in self.loaded.findings])}
        else:
            parts = dict(known.part_digests)
        return KeyParts(
            stage=stage.name,
            stage_version=stage.version,
            assay=source_digest(),
            inputs={name: upstream[name].key for name in stage.inputs},
            pack=parts,
            settings=self.config.settings(stage.settings),
            modules=self._outside_modules if stage.runs_pack_code and known is not None else {},
        )

    @cached_property
    def _outside_modules(self) -> Mapping[str, str]:
        """Distributions that the pack's code imports, in the versions installed now (ruling 41).

        Their names are recorded by fingerprint, so that a cached run need not import the pack to compute its keys.
        """
        record = self.store.root / "modules" / f"{self.identity.fingerprint}.json"
        self.store.fetch(record)
        try:
            names: list[str] = json.loads(record.read_bytes())
        except (OSError, ValueError):
            backend, assertions = self._inspected(self.engine)
            names = sorted(backend.modules | assertions.modules)
            if backend.failure is None and assertions.failure is None:
                record.parent.mkdir(parents=True, exist_ok=True)
                write_whole(record, json.dumps(names).encode())
                self.store.share(record)
        return installed_versions(names)

    @staticmethod
    def _inspected(engine: Engine) -> tuple[BackendSurface, AssertionModule]:
        """Ask both modules at once; while their workers start, import what the stages will need."""
        with ThreadPoolExecutor(max_workers=2) as aside:
            asked = aside.submit(engine.inspect_backend), aside.submit(engine.inspect_assertions)
            for stage in PIPELINE:
                stage.prepare()
            return asked[0].result(), asked[1].result()

    # Stages

    def execute(self, stage: Stage, upstream: Mapping[str, ArtifactRef]) -> ArtifactRef:
        """Find the stage's artifact or compute it, and record it in the ledger.

        Raises:
            StageCrash: for a fault of the machine.
            DeadlinePassed: when the time of the run is over.
            ConfigError: when the run config cannot be used.
        """
        started, clock = now().isoformat(), time.perf_counter()
        try:
            with self.deadline.enforced():
                artifact, reason = self._find_or_compute(stage, upstream)
            reference = self._reference(artifact, reason, clock)
        except (NotReproducible, DeadlinePassed) as error:
            self.record.stage_crashed(stage.name, started, time.perf_counter() - clock, str(error))
            raise
        except (OSError, MemoryError, StoreError, EngineUnavailable, StageCrash) as error:
            message = f"stage {stage.name} could not finish: {error}"
            self.record.stage_crashed(stage.name, started, time.perf_counter() - clock, message)
            raise StageCrash(message) from error
        self.record.stage_ended(reference, started, reason)
        return reference

    def _reference(self, artifact: Artifact, reason: str, clock: float) -> ArtifactRef:
        found = self.findings_of(artifact)
        address = self.store.address_of(artifact)
        self._opened[address] = artifact
        return ArtifactRef(
            stage=artifact.stage,
            key=artifact.key,
            path=address,
            rows=dict(artifact.rows),
            findings={str(each): sum(one.severity is each for one in found) for each in Severity},
            cached=reason == SERVED,
            final=artifact.final,
            seconds=round(time.perf_counter() - clock, 6),
            output="" if reason == SERVED else self._printed(),
        )

    def find(self, stage: Stage, upstream: Mapping[str, ArtifactRef]) -> ArtifactRef | None:
        """Return the stage's artifact if it is in the store and may be used. Nothing is computed or recorded.

        Raises:
            StoreError: when its findings cannot be read.
            ConfigError: when the run config cannot be used.
        """
        clock = time.perf_counter()
        if self._is_to_be_recomputed(stage) or not all(upstream[name].final for name in stage.inputs):
            return None
        kept = self.store.find(stage.name, self.identity.pack_id, self.key_parts(stage, upstream).key)
        return None if kept is None else self._reference(kept, SERVED, clock)

    def _printed(self) -> str:
        outputs = () if self._engine is None else self._engine.output
        return "\n".join(f"{each.role} ({each.length} bytes):\n{each.text}" for each in outputs)

    def _find_or_compute(self, stage: Stage, upstream: Mapping[str, ArtifactRef]) -> tuple[Artifact, str]:
        """Return the artifact, and why it was computed or not: one of the ledger's `REASONS`."""
        self._require_same_pack(stage, upstream)
        parts = self.key_parts(stage, upstream)
        rests_on_final = all(upstream[name].final for name in stage.inputs)
        kept = self.store.find(stage.name, self.identity.pack_id, parts.key) if rests_on_final else None
        if kept is not None and not self._is_to_be_recomputed(stage):
            return kept, SERVED
        reason = self._why_not_served(stage, parts.key, kept, rests_on_final=rests_on_final)
        pack_id = self.identity.pack_id
        with self.store.begin(parts, pack_id, stage.tables) as writer:
            keep = self._compute(stage, upstream, writer) and rests_on_final
            self.deadline.require()  # what dead workers left is no result
            if keep and kept is not None:
                require_same_bytes(kept, aside(self.store, self.request.run_id).publish(writer, pack_id))
                return kept, reason
            provisional_run = None if keep else self.request.run_id
            return self.store.publish(writer, pack_id, provisional_run=provisional_run), reason

    def _is_to_be_recomputed(self, stage: Stage) -> bool:
        asked = self.request.recompute_from
        return asked is not None and stage.name in stages_from(asked)

    def _why_not_served(self, stage: Stage, key: str, kept: Artifact | None, *, rests_on_final: bool) -> str:
        if kept is not None:
            return "asked"
        if not rests_on_final:
            return "provisional_input"
        return "damaged" if self.store.holds_remains(stage.name, self.identity.pack_id, key) else "absent"

    def _require_same_pack(self, stage: Stage, upstream: Mapping[str, ArtifactRef]) -> None:
        """Refuse to mix: stages of one run may execute in several processes, and all must see the same pack."""
        if "load" in stage.after and upstream["load"].key != self.key_parts(stage_named("load"), {}).key:
            raise StageCrash("the pack or assay itself changed while the run was under way")

    def _compute(self, stage: Stage, upstream: Mapping[str, ArtifactRef], writer: ArtifactWriter) -> bool:
        """Write what a stage makes, and say whether it is final."""
        if self.loaded.pack is None and stage.needs_pack:
            return True
        context = self._context(stage, upstream)
        try:
            return take_in(stage, stage.compute(context), self.identity, writer)
        except (OSError, MemoryError, StoreError, EngineUnavailable, RunError):
            raise
        except Exception as error:  # ruling 1: a bug in a check is a finding, never a lost report
            writer.clear()
            return take_in(stage, broken_down(stage, error), self.identity, writer)

    def _context(self, stage: Stage, upstream: Mapping[str, ArtifactRef]) -> StageContext:
        artifacts = {name: self._artifact(upstream[name]) for name in stage.inputs}
        return StageContext(
            loaded=self.loaded,
            config=self.config,
            identity=self.identity,
            tables={
                table: read_rows(artifacts[name], table) for name in stage.inputs for table in stage_named(name).tables
            },
            findings={name: self.findings_of(artifact) for name, artifact in artifacts.items()},
            engine_source=lambda: self.engine,
        )

    # Artifacts and the ledger

    def _artifact(self, reference: ArtifactRef) -> Artifact:
        artifact = self._opened.get(reference.path) or self.store.open(reference.path)
        if artifact is None:
            raise StageCrash(f"the {reference.stage} artifact {reference.path} is missing or damaged")
        return artifact

    @staticmethod
    def findings_of(artifact: Artifact) -> tuple[Finding, ...]:
        """Return the findings that an artifact holds."""
        found = read_table(artifact, FINDINGS)
        return () if found is None else read_findings(found)

    def finish(self, references: Mapping[str, ArtifactRef]) -> Report:
        """Assemble the report, write the views and close the run in the ledger.

        Raises:
            StageCrash: when an artifact is gone or nothing can be written.
        """
        try:
            artifacts = {name: self._artifact(each) for name, each in references.items()}
            report = assemble(None if self.known_by is None else self.identity, artifacts, mutants=self.config.mutants)
            if self.output_dir is not None:
                write_views(self.output_dir, self.config.expt_name, report, artifacts)
            self.record.close(report)
        except (OSError, StoreError) as error:
            raise StageCrash(f"the report could not be written: {error}") from error
        return report


def _known_by(loaded: LoadResult) -> KnownBy | None:
    return None if loaded.pack is None else loaded.pack.known_by
