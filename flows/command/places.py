"""From what people type to absolute places."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.artifacts.roots import RootError, normal_root
from assay.runner import default_root
from assay.values import storable
from flows.command.exits import CommandError

if TYPE_CHECKING:
    from pathlib import Path


def resolve_root(root: str | None, output_dir: Path | None = None) -> str:
    """Return the artifact store: the one named, else one inside the output folder, else the user's own.

    Raises:
        CommandError: when it can be none, or its name is not UTF-8; Parquet files can have no such place.
    """
    try:
        if root is not None:
            place = normal_root(root)
        elif output_dir is not None:
            place = normal_root(output_dir / "store")
        else:
            place = default_root()
    except RootError as error:
        raise CommandError(str(error), "root") from error
    if storable(place) != place:
        raise CommandError(f"the folder {storable(place)} cannot hold artifacts: its name is not UTF-8")
    return place
