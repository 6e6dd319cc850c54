"""What is asked for and what comes back, as plain JSON-able values that can cross processes."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from assay.artifacts.ledger import new_run_id
from assay.artifacts.roots import normal_root

if TYPE_CHECKING:
    from collections.abc import Mapping


def default_root() -> str:
    """Return the artifact store that is used when none is named: `ASSAY_ROOT`, else a folder in the user's cache."""
    from platformdirs import user_cache_path  # noqa: PLC0415 - only needed when nothing is named

    return normal_root(os.environ.get("ASSAY_ROOT") or user_cache_path("assay", appauthor=False) / "store")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """What to run.

    Attributes:
        pack: absolute path of a pack folder or of its manifest; may be empty when `config` names the manifest.
        config: absolute path of a run config.
        root: artifact store.
        output_dir: where the views of this run go; None for no views.
        exhaustive: prove every instance, not one representative of each template (ruling 38).
        templates: when not empty, prove only these templates; never Gold.
        mutants: measure whether the assertions would notice wrong evidence.
        language: overrides `surface_generation.language`.
        run_id: name of this run in the ledger.
        retry_of: the run that this one takes up again.
        recompute_from: compute this stage and those that depend on it, although their artifacts are there.
        deadline_s: seconds that the run may take, from when it is taken up; None for as long as it needs. It ends the
            run without a verdict, and is no part of any key.
    """

    pack: str = ""
    config: str | None = None
    root: str = field(default_factory=default_root)
    output_dir: str | None = None
    exhaustive: bool = False
    templates: tuple[str, ...] = ()
    mutants: bool = True
    language: str | None = None
    run_id: str = field(default_factory=new_run_id)
    retry_of: str | None = None
    recompute_from: str | None = None
    deadline_s: float | None = None

    @property
    def name(self) -> str:
        """What a person would call the pack before it is read: its folder's name."""
        path = Path(self.pack or self.config or "")
        return path.parent.name if path.suffix in (".yaml", ".yml") else path.name

    def to_json(self) -> dict[str, Any]:
        """Return the request as a JSON object."""
        return {**{name: getattr(self, name) for name in self.__slots__}, "templates": list(self.templates)}

    @classmethod
    def from_json(cls, facts: Mapping[str, Any]) -> Self:
        """Read back what `to_json` wrote."""
        return cls(**{**facts, "templates": tuple(facts["templates"])})


@dataclass(frozen=True, slots=True, kw_only=True)
class ArtifactRef:
    """A stage's artifact as later stages and other processes refer to it.

    Attributes:
        path: absolute path of the main table's file.
        rows: table -> rows.
        findings: severity -> count.
        cached: it was in the store already.
        final: False when it rests on a deadline or a dead worker (ruling 40).
        seconds: time spent on it in this run.
        output: what pack code printed while the stage ran, bounded; empty when cached.
    """

    stage: str
    key: str
    path: str
    rows: dict[str, int]
    findings: dict[str, int]
    cached: bool
    final: bool
    seconds: float
    output: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the reference as a JSON object."""
        return {name: getattr(self, name) for name in self.__slots__}

    @classmethod
    def from_json(cls, facts: Mapping[str, Any]) -> Self:
        """Read back what `to_json` wrote."""
        return cls(**facts)
