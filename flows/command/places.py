"""From what people type to absolute places."""

from __future__ import annotations

from pathlib import Path

from assay.runner import default_root
from assay.values import storable
from flows.command.exits import CommandError


def resolve_root(root: str | None, output_dir: Path | None = None) -> str:
    """Return the artifact store: the one named, else one inside the output folder, else the user's own.

    Raises:
        CommandError: when its name is not UTF-8; Parquet files can have no such place.
    """
    if root is not None:
        place = root if "://" in root else str(Path(root).absolute())
    elif output_dir is not None:
        place = str((output_dir / "store").absolute())
    else:
        place = default_root()
    if storable(place) != place:
        raise CommandError(f"the folder {storable(place)} cannot hold artifacts: its name is not UTF-8")
    return place
