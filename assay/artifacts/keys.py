"""Cache keys: what an artifact is a function of, and nothing else.

A key is the SHA-256 of its *parts*, which are kept beside it, so that a person can ask which part made the difference:
the stage and its version, assay's own source, the keys of the artifacts it reads, the pack, and the settings and
installed modules that it declares to read.

The pack counts as a whole: every table carries the pack's fingerprint, so an artifact belongs to exactly one pack. The
digests of the single files are there to show which of them changed.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.values import digest, digest_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyParts:
    """Everything that goes into one key.

    Attributes:
        stage: name of the stage.
        stage_version: raised when the meaning of its tables changes.
        assay: digest of assay's own source, with the interpreter's minor version.
        inputs: stage -> key of the artifact it reads.
        pack: role of a file -> its digest; `tree` -> the fingerprint.
        settings: run-config field -> value.
        modules: distribution that pack code imports -> installed version (ruling 41).
    """

    stage: str
    stage_version: int
    assay: str
    inputs: Mapping[str, str]
    pack: Mapping[str, str]
    settings: Mapping[str, Any]
    modules: Mapping[str, str]

    def to_json(self) -> dict[str, Any]:
        """Return the parts as a JSON object."""
        return {name: getattr(self, name) for name in self.__slots__}

    @property
    def key(self) -> str:
        """64 hex digits."""
        return digest(self.to_json())


@cache
def source_digest() -> str:
    """Return one digest over the source of the core, so that another assay never reads this one's results."""
    root = Path(__file__).parents[1]
    files = sorted(path for path in root.rglob("*.py") if "__pycache__" not in path.parts)
    listing = {path.relative_to(root).as_posix(): digest_bytes(path.read_bytes()) for path in files}
    return digest({"python": f"{sys.version_info.major}.{sys.version_info.minor}", "files": listing})
