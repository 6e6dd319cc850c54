"""A root in an object store, and the folder of this machine that stands in for it.

Artifacts are read many times, in pieces, and some of them are executed; an object store offers whole objects, at a
round trip each. So every machine keeps a *mirror*: files are written there first and then pushed, and pulled when the
shared place has what the mirror lacks. Everything else in assay sees a folder.

An object is written by one request, or by several of which the last one makes it appear: a reader sees all of it or
none. A mirrored file has the size and the time of modification of its object; as long as they agree it is not fetched
again. The mirror is only a copy. It may be removed whenever nothing runs.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from functools import cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qsl, urlsplit

from pyarrow import fs

from assay.artifacts.artifact import StoreError
from assay.artifacts.files import TemporaryFile

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_CHUNK: Final = 4 * 2**20


class PlaceUnavailable(StoreError, OSError):
    """A shared place refused, or did not answer: to a store its own failure, to a ledger that of a file system."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedPlace:
    """A root in an object store.

    Attributes:
        address: the root without its options, for people and for references.
        objects: where its objects are.
        prefix: bucket and path of the root.
        mirror: the folder that stands in for it.
    """

    address: str
    objects: fs.FileSystem
    prefix: str
    mirror: Path

    def address_of(self, path: Path) -> str:
        """Return how other machines refer to a file of the mirror."""
        return f"{self.address}/{self._name(path)}"

    def path_of(self, address: str) -> Path:
        """Return the file of the mirror that an address stands for; it need not be there."""
        return self.mirror / address.removeprefix(f"{self.address}/")

    def _name(self, path: Path) -> str:
        return path.relative_to(self.mirror).as_posix()

    def _object(self, path: Path) -> str:
        return str(PurePosixPath(self.prefix, self._name(path)))  # the root itself has no name below it

    def push(self, path: Path) -> None:
        """Put a file of the mirror in the shared place.

        Raises:
            PlaceUnavailable: when it refuses.
        """
        try:
            with path.open("rb") as file, self.objects.open_output_stream(self._object(path)) as sink:
                while chunk := file.read(_CHUNK):
                    sink.write(chunk)
            self._stamp(path)
        except OSError as error:
            raise self._refused("written", error) from error

    def _stamp(self, path: Path) -> None:
        info = self.objects.get_file_info(self._object(path))
        if info.is_file and info.size == path.stat().st_size:
            os.utime(path, ns=(info.mtime_ns, info.mtime_ns))

    def put(self, path: Path, data: bytes) -> None:
        """Put bytes in the shared place, without a copy in the mirror.

        Raises:
            PlaceUnavailable: when it refuses.
        """
        try:
            with self.objects.open_output_stream(self._object(path)) as sink:
                sink.write(data)
        except OSError as error:
            raise self._refused("written", error) from error

    def pull(self, paths: Iterable[Path]) -> bool:
        """Bring files of the mirror up to date; say whether the shared place has all of them.

        Raises:
            PlaceUnavailable: when it does not answer.
        """
        wanted = list(paths)
        try:
            infos = self.objects.get_file_info([self._object(path) for path in wanted])
            for path, info in zip(wanted, infos, strict=True):
                self._bring_up_to_date(path, info)
        except OSError as error:
            raise self._refused("read", error) from error
        return all(info.is_file for info in infos)

    def pull_tree(self, folder: Path) -> list[Path]:
        """Bring a folder of the mirror up to date; return the files that the shared place has there.

        Raises:
            PlaceUnavailable: when it does not answer.
        """
        selector = fs.FileSelector(self._object(folder), allow_not_found=True, recursive=True)
        found: list[Path] = []
        try:
            for info in self.objects.get_file_info(selector):
                if info.is_file:
                    path = self.mirror / info.path.removeprefix(f"{self.prefix}/")
                    self._bring_up_to_date(path, info)
                    found.append(path)
        except OSError as error:
            raise self._refused("read", error) from error
        return found

    def names(self, folder: Path) -> list[Path]:
        """Return the files that the shared place has below a folder, without fetching any.

        Raises:
            PlaceUnavailable: when it does not answer.
        """
        selector = fs.FileSelector(self._object(folder), allow_not_found=True, recursive=True)
        try:
            infos = self.objects.get_file_info(selector)
        except OSError as error:
            raise self._refused("read", error) from error
        return [self.mirror / info.path.removeprefix(f"{self.prefix}/") for info in infos if info.is_file]

    def listing(self) -> list[tuple[str, int, float]]:
        """Return name below the root, bytes, and seconds since the epoch, of all that is there, sorted.

        Raises:
            PlaceUnavailable: when it does not answer.
        """
        selector = fs.FileSelector(self.prefix, allow_not_found=True, recursive=True)
        try:
            infos = self.objects.get_file_info(selector)
        except OSError as error:
            raise self._refused("read", error) from error
        files = (info for info in infos if info.is_file)
        return sorted((info.path.removeprefix(f"{self.prefix}/"), info.size, info.mtime_ns / 1e9) for info in files)

    def remove(self, path: Path) -> None:
        """Remove a file, there and from the mirror. It need not be there any more.

        Raises:
            PlaceUnavailable: when it refuses.
        """
        try:
            self.objects.delete_file(self._object(path))
        except FileNotFoundError:
            pass  # somebody else has removed it
        except OSError as error:
            raise self._refused("written", error) from error
        path.unlink(missing_ok=True)

    def _bring_up_to_date(self, path: Path, info: fs.FileInfo) -> None:
        if not info.is_file or _agrees(path, info):
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = TemporaryFile(path.parent, path.name)
        try:
            with self.objects.open_input_stream(info.path) as source:
                while chunk := source.read(_CHUNK):
                    temporary.stream.write(chunk)
            temporary.stream.flush()
            os.utime(temporary.stream.fileno(), ns=(info.mtime_ns, info.mtime_ns))
            temporary.close()
            temporary.publish(path)
        finally:
            temporary.discard()

    def _refused(self, what: str, error: OSError) -> PlaceUnavailable:
        return PlaceUnavailable(f"the store {self.address} cannot be {what}: {error}")


def _agrees(path: Path, info: fs.FileInfo) -> bool:
    try:
        facts = path.stat()
    except OSError:
        return False
    return (facts.st_size, facts.st_mtime_ns) == (info.size, info.mtime_ns)


@cache
def shared_place(root: str) -> SharedPlace:
    """Return the place that a URL names, as `assay.artifacts.roots` has checked it. Nothing is contacted.

    The mirror is in the user's cache (`XDG_CACHE_HOME`), under a digest of the URL.
    """
    from platformdirs import user_cache_path  # noqa: PLC0415 - only for shared roots

    url = urlsplit(root)
    prefix = f"{url.netloc}{url.path}".rstrip("/")
    mirror = user_cache_path("assay", appauthor=False) / "mirrors" / hashlib.sha256(root.encode()).hexdigest()[:16]
    objects = fs.S3FileSystem(**dict(parse_qsl(url.query)))
    return SharedPlace(address=f"s3://{prefix}", objects=objects, prefix=prefix, mirror=mirror)
