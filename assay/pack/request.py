"""What loading a pack needs to be told. The run config says it, but lies in a layer above this one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


class MixTargets(Protocol):
    """What loading needs of the run config's `task_generation`."""

    @property
    def mixes(self) -> Mapping[str, Mapping[str, float]]:
        """Mix name -> label -> share."""


class LoadRequest(Protocol):
    """What loading needs of a run config; `assay.config.RunConfig` is one."""

    @property
    def manifest_path(self) -> Path:
        """Absolute path of the manifest; its folder is the pack folder."""

    @property
    def overrides(self) -> Mapping[str, Path]:
        """Role -> absolute path of a file to use instead of the manifest's."""

    @property
    def allowed_roots(self) -> tuple[Path, ...]:
        """Absolute folders that pack files may lie in besides the pack folder."""

    @property
    def task_generation(self) -> MixTargets:
        """Mixes that the templates must be able to supply."""
