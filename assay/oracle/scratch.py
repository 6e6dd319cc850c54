"""The scratch folders of an engine's workers.

Each worker has a scratch folder under a random name. Where the system lets a worker have a file system of its own, it
mounts that over a folder whose name is the same for every worker and every run, so that a path which a backend puts
into a result does not change from run to run.
"""

from __future__ import annotations

import os
import secrets
import shutil
import stat
import tempfile
from itertools import count
from pathlib import Path
from typing import Final


class Scratch:
    """The folders of one engine; they are made when first needed.

    Attributes:
        base: the folder that holds all others.
    """

    def __init__(self) -> None:
        self.base: Final = Path(tempfile.gettempdir()).resolve() / f"assay-{secrets.token_hex(8)}"
        self._numbers = count(1)

    def new_folder(self) -> Path:
        """Make an empty folder that only this user can enter."""
        self.base.mkdir(mode=0o700, exist_ok=True)
        folder = self.base / str(next(self._numbers))
        folder.mkdir(mode=0o700)
        return folder

    def close(self) -> None:
        """Remove everything. Safe to call twice."""
        remove(self.base)


def steady_folder() -> Path:
    """Return the folder whose name is the same in every run of this user."""
    return Path(tempfile.gettempdir()).resolve() / f"assay-{os.geteuid()}"


def mount_point(folder: str, root: Path) -> Path | None:
    """Return a folder with a steady name that belongs to this user alone, for a worker to mount its scratch on.

    Returns:
        None when there is no such folder, or when mounting there would hide the pack.
    """
    place = steady_folder() / folder
    if root.is_relative_to(place):
        return None
    try:
        ours = all(_is_ours_alone(each) for each in (place.parent, place))
    except OSError:
        return None
    return place if ours else None


def remove(folder: Path) -> None:
    """Remove a folder with all that pack code may have left in it, closed folders included."""
    shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        for parent, folders, _ in os.walk(folder):
            for each in folders:
                _open_up(Path(parent, each))
        shutil.rmtree(folder, ignore_errors=True)


def _open_up(folder: Path) -> None:
    if not folder.is_symlink():
        folder.chmod(0o700)


def _is_ours_alone(folder: Path) -> bool:
    """Make a folder, if need be, and say whether it is a real one that nobody else can write in."""
    folder.mkdir(mode=0o700, exist_ok=True)
    facts = folder.lstat()
    return stat.S_ISDIR(facts.st_mode) and facts.st_uid == os.geteuid() and not facts.st_mode & 0o022
