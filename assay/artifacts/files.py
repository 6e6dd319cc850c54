"""Files of the store: written under a temporary name, then published whole.

Everything that the store does with the file system while it writes and checks artifacts goes through here, so that
another kind of root needs no more than these functions in another form: create, publish, discard, digest.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from io import BufferedRandom
    from pathlib import Path

_LONGEST_STEM = 40


class TemporaryFile:
    """A file that nobody can read by its name yet.

    Attributes:
        stream: open for writing, and for reading back.

    Raises:
        OSError: when it cannot be created.
    """

    __slots__ = ("_path", "stream")

    def __init__(self, folder: Path, name: str) -> None:
        """Create one in a folder; `name` is the name that it will be published under, for whoever finds it torn."""
        self._path = folder / f".{name[:_LONGEST_STEM]}.{secrets.token_hex(8)}.tmp"
        self.stream: BufferedRandom = self._path.open("x+b")

    def close(self, *, durable: bool = True) -> str:
        """End the writing and return the SHA-256 of what was written.

        Args:
            durable: wait until the disk has it, so that even a loss of power leaves all of it or nothing under its
                name (`docs/design/artifacts.md`).

        Raises:
            OSError: when the file system refuses.
        """
        self.stream.flush()
        if durable:
            os.fsync(self.stream.fileno())
        self.stream.seek(0)
        digest = hashlib.file_digest(self.stream, "sha256").hexdigest()
        self.stream.close()
        return digest

    def publish(self, path: Path) -> None:
        """Give a closed file its name: a reader sees all of it or none.

        Raises:
            OSError: when the file system refuses.
        """
        self._path.replace(path)

    def discard(self) -> None:
        """Remove it, whatever state it is in. Safe to call twice, and after publishing."""
        with suppress(OSError):  # closing may write what is still buffered, and the disk may be full
            self.stream.close()
        with suppress(OSError):
            self._path.unlink(missing_ok=True)


def digest_of_file(path: Path) -> str | None:
    """Return the SHA-256 of a file; None when it cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None


def write_whole(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Put bytes in a file so that a reader sees all of them or none.

    Args:
        path: the file.
        data: all that it shall hold.
        durable: wait until the disk has it; see `TemporaryFile.close`.

    Raises:
        OSError: when the file system refuses; the temporary file is removed then.
    """
    temporary = TemporaryFile(path.parent, path.name)
    try:
        temporary.stream.write(data)
        temporary.close(durable=durable)
        temporary.publish(path)
    finally:
        temporary.discard()
