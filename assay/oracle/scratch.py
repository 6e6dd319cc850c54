"""The scratch folders of an engine's workers.

Each worker has a scratch folder under a random name. Where the system lets a worker have a file system of its own, it
mounts that over a folder whose name is the same for every worker and every run, so that a path which a backend puts
into a result does not change from run to run.

An engine holds a lock on the folder of its workers. The system gives the lock up when the engine's process ends,
however it ends, so the next engine of this user finds what a killed one left behind, and removes it.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
import stat
import subprocess
import tempfile
from contextlib import suppress
from itertools import count
from pathlib import Path
from threading import Lock
from typing import Final

_PREFIX: Final = "assay-"
_LOCKED_PREFIX: Final = f"{_PREFIX}run-"
"""Begins the names of folders that are locked as long as they are in use."""


class Scratch:
    """The folders of one engine; they are made when first needed.

    Attributes:
        base: the folder that holds all others.
    """

    def __init__(self) -> None:
        self.base: Final = _temporary() / f"{_LOCKED_PREFIX}{secrets.token_hex(8)}"
        self._numbers = count(1)
        self._lock: int | None = None
        self._making = Lock()

    def new_folder(self) -> Path:
        """Make an empty folder that only this user can enter."""
        with self._making:
            if self._lock is None:
                self._make_base()
        folder = self.base / str(next(self._numbers))
        folder.mkdir(mode=0o700)
        return folder

    def close(self) -> None:
        """Remove everything. Safe to call twice."""
        remove(self.base)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _make_base(self) -> None:
        """Make the folder, and make it ours before anybody can take it for a left one: under the name of another."""
        sweep(self.base.parent)
        unfinished = self.base.with_suffix(".new")
        unfinished.mkdir(mode=0o700)
        self._lock = os.open(unfinished, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        unfinished.rename(self.base)


def sweep(place: Path) -> None:
    """Remove the folders that engines of this user left behind when they were killed."""
    for folder in place.glob(f"{_LOCKED_PREFIX}{'[0-9a-f]' * 16}"):
        with suppress(OSError):  # of another user, in use, or gone already
            _remove_if_left(folder)


def _remove_if_left(folder: Path) -> None:
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        if os.fstat(lock).st_uid == os.geteuid():
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            remove(folder)
    finally:
        os.close(lock)


def steady_folder() -> Path:
    """Return the folder whose name is the same in every run of this user."""
    return _temporary() / f"{_PREFIX}{os.geteuid()}"


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
    """Remove a folder with all that pack code may have left in it: closed folders, and folders a thousand deep."""
    try:
        shutil.rmtree(folder, ignore_errors=True)
    except RecursionError:
        subprocess.run(["rm", "-rf", "--", folder], check=False, capture_output=True)  # noqa: S603, S607 - it loops
    if folder.exists():
        for parent, folders, _ in os.walk(folder):
            for each in folders:
                _open_up(Path(parent, each))
        shutil.rmtree(folder, ignore_errors=True)


def _temporary() -> Path:
    return Path(tempfile.gettempdir()).resolve()


def _open_up(folder: Path) -> None:
    if not folder.is_symlink():
        folder.chmod(0o700)


def _is_ours_alone(folder: Path) -> bool:
    """Make a folder, if need be, and say whether it is a real one that nobody else can write in."""
    folder.mkdir(mode=0o700, exist_ok=True)
    facts = folder.lstat()
    return stat.S_ISDIR(facts.st_mode) and facts.st_uid == os.geteuid() and not facts.st_mode & 0o022
