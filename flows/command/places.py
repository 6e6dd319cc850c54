"""From what people type to absolute places."""

from __future__ import annotations

from pathlib import Path

from assay.runner import default_root


def resolve_root(root: str | None, output_dir: Path | None = None) -> str:
    """Return the artifact store: the one named, else one inside the output folder, else the user's own."""
    if root is not None:
        return root if "://" in root else str(Path(root).absolute())
    if output_dir is not None:
        return str((output_dir / "store").absolute())
    return default_root()
