"""The run config as every stage sees it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, is_dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from assay.oracle.limits import Limits

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from assay.findings import Finding
    from assay.values import JsonObject

DEFAULT_CLOCK: Final = "2026-01-01T00:00:00+00:00"
DEFAULT_NAME: Final = "validation"
_PLACES_ON_THIS_HOST: Final = frozenset({"manifest_path", "output_dir", "allowed_roots", "raw"})


class ConfigError(Exception):
    """A run config that cannot be used. The text lists every fault, one a line, each with its dotted field.

    Attributes:
        findings: the faults with their places in the config file; empty when there is no file to point into.
    """

    def __init__(self, message: str, findings: tuple[Finding, ...] = ()) -> None:
        super().__init__(message)
        self.findings = findings


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskGeneration:
    """`task_generation`.

    Attributes:
        tasks_per_category: None when the run was given a pack folder alone: each category then draws as many instances
            as it has templates. A config file that leaves it out means 1, as the contract says.
        candidate_tasks_per_category: the expansion budget; None means the same as `tasks_per_category`.
        mixes: `difficulty_mix`, `turn_mix`, `tool_call_count_mix`, `policy_mix` as given.
    """

    tasks_per_category: int | None = None
    candidate_tasks_per_category: int | None = None
    mixes: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SurfaceGeneration:
    """`surface_generation`: the language and the wording guards."""

    language: str | None = None
    preserve_slot_values: bool = True
    prevent_tool_name_leakage: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class RunConfig:
    """Everything a run is told.

    Attributes:
        manifest_path: absolute path of the pack's manifest.
        overrides: role -> absolute path of a file to use instead of the manifest's (`oracle_pack.*_path`).
        allowed_roots: absolute folders that pack files may lie in, besides the pack's own.
        clock: the frozen clock, ISO-8601 with offset; None means the manifest's, else `DEFAULT_CLOCK`.
        worker: `process`, or `thread`, which is accepted and never Gold (we run processes all the same).
        random_seed: the global seed; null is 0.
        exhaustive: prove every instance, not one representative of each template (ruling 38).
        templates: when not empty, only these template ids are proven (author's loop); never Gold.
        mutants: measure whether the assertions would notice wrong evidence.
        raw: the whole document as given, for the record.
    """

    manifest_path: Path
    expt_name: str = DEFAULT_NAME
    output_dir: Path | None = None
    overrides: Mapping[str, Path] = field(default_factory=dict)
    allowed_roots: tuple[Path, ...] = ()
    clock: str | None = None
    worker: str = "process"
    limits: Limits = field(default_factory=Limits)
    random_seed: int = 0
    lineage_policy: str = "strict_separation"
    task_generation: TaskGeneration = field(default_factory=TaskGeneration)
    surface_generation: SurfaceGeneration = field(default_factory=SurfaceGeneration)
    exhaustive: bool = False
    templates: tuple[str, ...] = ()
    mutants: bool = True
    raw: JsonObject = field(default_factory=dict)

    def settings(self, names: tuple[str, ...]) -> dict[str, Any]:
        """Return the named settings as JSON, for cache keys: the same on every host.

        Of `overrides` only the roles are told; what the files hold is part of the pack's fingerprint.

        Raises:
            ValueError: for a setting that is a place on this host.
        """
        return {name: self._setting(name) for name in names}

    def _setting(self, name: str) -> Any:
        if name in _PLACES_ON_THIS_HOST:
            raise ValueError(f"`{name}` differs from host to host and cannot be part of a cache key")
        if name == "overrides":
            return sorted(self.overrides)
        value = getattr(self, name)
        if is_dataclass(value) and not isinstance(value, type):
            return asdict(value)
        return list(value) if isinstance(value, tuple) else value

    def with_options(
        self,
        *,
        exhaustive: bool | None = None,
        templates: tuple[str, ...] | None = None,
        mutants: bool | None = None,
        language: str | None = None,
        output_dir: Path | None = None,
    ) -> RunConfig:
        """Return this config with what the command line says on top; what is None stays as it is."""
        given = {"exhaustive": exhaustive, "templates": templates, "mutants": mutants, "output_dir": output_dir}
        changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        if language is not None:
            changes["surface_generation"] = replace(self.surface_generation, language=language)
        return replace(self, **changes)
