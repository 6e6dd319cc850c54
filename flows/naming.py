"""What people call a pack before it has been read: for run names and tags, never for keys.

A flow run has its name before its first stage has read the pack, so the manifest is only glanced at.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from assay.runner import RunRequest

_GLANCE_BYTES: Final = 64 * 1024
_IDENTITY: Final = {
    name: re.compile(rf"^{name}:[ \t]*[\"']?([\w.+\-]{{1,80}})", re.MULTILINE) for name in ("pack_id", "version")
}


@dataclass(frozen=True, slots=True)
class PackName:
    """A pack's id and version as its manifest seems to state them; the folder's name where it does not."""

    pack_id: str
    version: str | None

    def __str__(self) -> str:
        return self.pack_id if self.version is None else f"{self.pack_id}@{self.version}"

    @property
    def slug(self) -> str:
        """Lower-case letters, digits and dashes, as keys of Prefect's artifacts must be."""
        return re.sub(r"[^a-z0-9]+", "-", self.pack_id.lower()).strip("-") or "pack"


def name_of(request: RunRequest) -> PackName:
    """Return what to call the pack of a request. Never fails."""
    text = _glance(Path(request.pack)) if request.pack else ""
    found = {name: pattern.search(text) for name, pattern in _IDENTITY.items()}
    pack_id, version = found["pack_id"], found["version"]
    return PackName(
        pack_id.group(1) if pack_id else request.name or "pack",
        version.group(1) if version else None,
    )


def _glance(pack: Path) -> str:
    manifest = pack / "manifest.yaml" if pack.is_dir() else pack
    with suppress(OSError), manifest.open("rb") as file:
        return file.read(_GLANCE_BYTES).decode("utf-8", errors="replace")
    return ""
