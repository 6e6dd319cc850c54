"""The files of a pack folder, each read once (rulings 10 and 11).

Everything that is later parsed, hashed and copied comes from the bytes read here, so that editing a pack while it is
being validated changes nothing. Symbolic links are refused wherever they stand, and nothing is followed or opened that
is not a regular file. Version control, byte code and notebook checkpoints are no part of a pack.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from assay.findings import Place
from assay.pack.bounds import MAX_DOCUMENT_BYTES, MAX_PACK_BYTES, MAX_PACK_ENTRIES

if TYPE_CHECKING:
    from assay.pack.collector import Collector

IGNORED_FOLDERS: Final = frozenset({".git", "__pycache__", ".ipynb_checkpoints"})
IGNORED_SUFFIX: Final = ".pyc"
_CONTROLS: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
"""Characters that break a line or change how the text after them is shown."""

OUTSIDE_FOLDER: Final = ".declared"
"""Where a snapshot keeps pack files that lie outside the pack folder. A pack may not use the name itself."""


class NotRegularFileError(OSError):
    """What stands at a path is no regular file."""


class TooLargeError(OSError):
    """A file is larger than the bytes that are left for it."""


def read_regular_file(path: Path, limit: int) -> bytes:
    """Read a file whole, without following a link and without waiting for a pipe.

    Args:
        path: where it is.
        limit: the most bytes to read.

    Raises:
        NotRegularFileError: for a link, folder, pipe, socket or device.
        TooLargeError: when it holds more bytes than the limit.
        OSError: when it cannot be read.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO):
            raise NotRegularFileError(error.errno, "no regular file") from None
        raise
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise NotRegularFileError(errno.EINVAL, "no regular file")
    with os.fdopen(descriptor, "rb") as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise TooLargeError(errno.EFBIG, "larger than allowed")
    return data


@dataclass(slots=True)
class Tree:
    """A pack folder as it was read.

    Attributes:
        root: the folder, resolved.
        files: path relative to it, with forward slashes -> bytes, in a fixed order.
        refused: (code, path) of every entry that was reported and left out.
        complete: False when reading was given up because the folder is too large.
    """

    root: Path
    files: dict[str, bytes] = field(default_factory=dict)
    refused: list[tuple[str, str]] = field(default_factory=list)
    complete: bool = True

    def read(self, name: str) -> bytes | None:
        """Return the bytes of a file; None when it is no part of the pack as read.

        Of a folder that is too large only the files asked for are kept, each of them bounded.
        """
        if not self.complete and name not in self.files and not is_ignored(name) and not self.is_refused(name):
            path = self.root / name
            with suppress(OSError):
                if os.path.realpath(path) == str(path):
                    self.files[name] = read_regular_file(path, MAX_DOCUMENT_BYTES)
        return self.files.get(name)

    def is_refused(self, name: str) -> bool:
        """Say whether a path, or a folder above it, was left out for a reason that is reported."""
        parts = name.split("/")
        above = {"/".join(parts[:end]) for end in range(1, len(parts) + 1)}
        return any(refused in above for _, refused in self.refused)


def is_ignored(name: str) -> bool:
    """Say whether a path relative to the pack folder is no part of a pack."""
    return name.endswith(IGNORED_SUFFIX) or not IGNORED_FOLDERS.isdisjoint(name.split("/"))


def read_tree(root: Path, found: Collector) -> Tree:
    """Read a pack folder.

    Raises:
        OSError: when the folder itself cannot be listed.
    """
    return _Reading(Tree(root), found).read()


@dataclass(slots=True)
class _Reading:
    """One pass over a folder."""

    tree: Tree
    found: Collector
    entries: int = 0
    ignored_entries: int = 0
    size: int = 0

    def read(self) -> Tree:
        waiting = self._listed("")
        while waiting and self.tree.complete:
            entry, name = waiting.pop()
            if not self._may_go_on(name):
                continue
            if (problem := _problem(entry, name)) is not None:
                self._refuse(*problem, name)
            elif entry.is_dir(follow_symlinks=False):
                waiting += self._listed_below(name)
            elif not is_ignored(name):
                self._read_file(Path(entry.path), name)
        return self.tree

    def _may_go_on(self, name: str) -> bool:
        """Count an entry. Ignored folders are searched for links only, and no further than a pack may reach."""
        if is_ignored(name):
            self.ignored_entries += 1
            return self.ignored_entries <= MAX_PACK_ENTRIES
        self.entries += 1
        if self.entries > MAX_PACK_ENTRIES:
            self._give_up(f"The pack folder holds more than {MAX_PACK_ENTRIES} files and folders.")
        return self.tree.complete

    def _listed(self, name: str) -> list[tuple[os.DirEntry[str], str]]:
        """Return the entries of a folder, last first, with their paths in the pack."""
        with os.scandir(self.tree.root / name) as entries:
            ordered = sorted(entries, key=lambda entry: entry.name, reverse=True)
        return [(entry, f"{name}/{entry.name}" if name else entry.name) for entry in ordered]

    def _listed_below(self, name: str) -> list[tuple[os.DirEntry[str], str]]:
        try:
            return self._listed(name)
        except OSError as error:
            if not is_ignored(name):
                self._refuse("unreadable_file", f"The folder cannot be listed: {_reason(error)}.", name)
            return []

    def _read_file(self, path: Path, name: str) -> None:
        try:
            data = read_regular_file(path, MAX_PACK_BYTES - self.size)
        except TooLargeError:
            self._give_up(f"The files of the pack hold more than {MAX_PACK_BYTES} bytes together.")
        except OSError as error:
            self._refuse("unreadable_file", f"The file cannot be read: {_reason(error)}.", name)
        else:
            self.size += len(data)
            self.tree.files[name] = data

    def _refuse(self, code: str, message: str, name: str) -> None:
        self.tree.refused.append((code, name))
        self.found.add(code, message, at=Place(printable(name)))

    def _give_up(self, message: str) -> None:
        self.tree.complete = False
        self.tree.files.clear()
        self.found.add("input_too_large", message, at=None)


def _problem(entry: os.DirEntry[str], name: str) -> tuple[str, str] | None:
    """Return code and message for an entry that may not stand in a pack."""
    if printable(name) != name:
        return "file_name_not_text", f"The file name {printable(name)} is not UTF-8, or holds control characters."
    if entry.is_symlink():
        return "symbolic_link", f"`{name}` is a symbolic link."
    if name == OUTSIDE_FOLDER:
        return "reserved_name", f"The name `{OUTSIDE_FOLDER}` is reserved for files from outside the pack folder."
    if not (entry.is_dir(follow_symlinks=False) or entry.is_file(follow_symlinks=False)) and not is_ignored(name):
        return "special_file", f"`{name}` is neither a file nor a folder."
    return None


def printable(name: str) -> str:
    """Return a file name as text: bytes that are not UTF-8 and control characters are escaped."""
    text = os.fsencode(name).decode("utf-8", "backslashreplace")
    return _CONTROLS.sub(lambda match: match.group().encode("unicode_escape").decode("ascii"), text)


def _reason(error: OSError) -> str:
    """Return why a file cannot be read, without its path."""
    return (error.strerror or type(error).__name__).lower()
