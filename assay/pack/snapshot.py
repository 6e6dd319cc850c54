"""Read-only copies of packs, by content (ruling 11).

Everything after loading reads a snapshot, never the author's folder: code is executed from it, on this machine or on
another that fetched it by its name. A snapshot is written under a temporary name and renamed, so that one that exists
is complete; it is compared byte by byte before it is used again, and replaced when it was tampered with or cut short.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from assay.pack.fingerprint import fingerprint
from assay.pack.fixtures import visible_fixtures

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from assay.pack.model import Pack

_READ_ONLY_FILE: Final = 0o444
_READ_ONLY_FOLDER: Final = 0o555
_WRITABLE_FOLDER: Final = 0o755
_ATTEMPTS: Final = 3
_VISIBLE: Final = "-visible"


def take_snapshot(snapshots: Path, name: str, files: Mapping[str, bytes]) -> Path:
    """Return the folder `<snapshots>/<name>` that holds exactly these files, made if need be.

    Args:
        snapshots: the folder of all snapshots.
        name: what the contents are known by; the same name always stands for the same contents.
        files: path with forward slashes -> bytes.

    Raises:
        OSError: when it cannot be written.
    """
    folder = snapshots / name
    if _holds(folder, files):
        return folder
    snapshots.mkdir(parents=True, exist_ok=True)
    fresh = snapshots / f".{name}.{secrets.token_hex(8)}"
    try:
        _write(fresh, files)
        _put_in_place(fresh, folder, files)
    finally:
        _remove(fresh)
    return folder


def note_identity(snapshots: Path, name: str, roles: Mapping[str, str], refused: Sequence[tuple[str, str]]) -> None:
    """Note what a fingerprint is made of besides the files, so that the snapshot can be held against its name later.

    The note is `<snapshots>/<name>.json`. It depends on nothing but the fingerprint, so one that is there is kept.

    Raises:
        OSError: when it cannot be written.
    """
    note = snapshots / f"{name}.json"
    if note.exists():
        return
    snapshots.mkdir(parents=True, exist_ok=True)
    fresh = snapshots / f".{name}.{secrets.token_hex(8)}.tmp"
    fresh.write_text(json.dumps({"roles": dict(roles), "refused": sorted(refused)}), encoding="ascii")
    fresh.replace(note)


def holds_its_identity(folder: Path) -> bool | None:
    """Say whether a snapshot is what its name says; None when the note about it is missing.

    A copy without withheld rows (`worker_root`) must be its pack's snapshot in all but one file.

    Raises:
        OSError: when it cannot be read.
    """
    if folder.name.endswith(_VISIBLE):
        whole, visible = _contents(folder.with_name(folder.name.removesuffix(_VISIBLE))), _contents(folder)
        return whole.keys() == visible.keys() and sum(whole[name] != visible[name] for name in whole) <= 1
    try:
        facts = json.loads(folder.with_name(f"{folder.name}.json").read_bytes())
        roles, refused = dict(facts["roles"]), [(code, path) for code, path in facts["refused"]]
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None
    return fingerprint(_contents(folder), roles, refused) == folder.name


def remove_snapshot(folder: Path) -> None:
    """Remove a snapshot and the note about it. It loses its name first, so that no half of it is left under that.

    Raises:
        OSError: when the file system refuses.
    """
    _move_away(folder, folder.with_name(f".{folder.name.lstrip('.')}.{secrets.token_hex(8)}"))
    folder.with_name(f"{folder.name}.json").unlink(missing_ok=True)


def worker_root(pack: Pack, snapshots: Path) -> Path:
    """Return the folder that pack code may see.

    It is the pack's snapshot, unless the held-out policy withholds reserved rows from the state: then a snapshot of
    its own, in which the fixtures file lacks them (`reference/loading.md` 3.3).

    Raises:
        OSError: when it cannot be written.
    """
    visible = visible_fixtures(pack)
    if visible is pack.fixtures or pack.paths.fixtures is None:
        return pack.root
    files = _contents(pack.root)
    projected = json.dumps(visible, sort_keys=True, ensure_ascii=False, indent=2) + "\n"
    files[pack.paths.fixtures] = projected.encode()
    return take_snapshot(snapshots, f"{pack.fingerprint}{_VISIBLE}", files)


def _contents(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in _names(folder)}


def _names(folder: Path) -> list[str]:
    """Return the paths of all files below a folder, sorted."""
    files = (Path(parent) / name for parent, _, names in os.walk(folder) for name in names)
    return sorted(file.relative_to(folder).as_posix() for file in files)


def _holds(folder: Path, files: Mapping[str, bytes]) -> bool:
    """Say whether a folder holds exactly these files."""
    if folder.is_symlink():
        return False
    try:
        return _names(folder) == sorted(files) and all(
            not (folder / name).is_symlink() and (folder / name).read_bytes() == data for name, data in files.items()
        )
    except OSError:
        return False


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    folder.mkdir()
    for name, data in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        file.chmod(_READ_ONLY_FILE)
    for parent, _, _ in os.walk(folder, topdown=False):
        Path(parent).chmod(_READ_ONLY_FOLDER)


def _put_in_place(fresh: Path, folder: Path, files: Mapping[str, bytes]) -> None:
    """Give a finished copy its name. Another process may do the same at the same time: it writes the same bytes."""
    for attempt in range(_ATTEMPTS):
        try:
            fresh.rename(folder)
        except OSError:
            if _holds(folder, files):
                return
            if attempt == _ATTEMPTS - 1:
                raise
            _move_away(folder, fresh.with_name(f"{fresh.name}.damaged"))
        else:
            return


def _move_away(folder: Path, aside: Path) -> None:
    """Move a damaged snapshot out of the way and remove it; another process may have done so already."""
    with suppress(FileNotFoundError):
        folder.rename(aside)
    _remove(aside)


def _remove(folder: Path) -> None:
    """Remove a copy that is not wanted, read-only as it may be."""
    if folder.is_dir() and not folder.is_symlink():
        for parent, _, _ in os.walk(folder):
            Path(parent).chmod(_WRITABLE_FOLDER)
        shutil.rmtree(folder)
    else:
        folder.unlink(missing_ok=True)
