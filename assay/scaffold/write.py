"""Writing a starter: all of it, or nothing.

The files are written into a hidden sibling of the target, which then takes the target's name in one step. Whoever looks
sees no starter or a whole one, and a folder that already exists is never touched.
"""

from __future__ import annotations

import secrets
import shutil
from pathlib import Path

from assay.scaffold.errors import ScaffoldError
from assay.scaffold.naming import language_text, pack_id_of, version_text
from assay.scaffold.starter_files import TRANSPORTS, starter_files


def scaffold(
    domain: str,
    target: str | Path,
    *,
    version: str = "0.1.0",
    language: str = "en",
    transport: str = "python",
    include_held_out: bool = False,
) -> Path:
    """Write the starter of a pack into a new folder and return the folder's absolute path.

    Args:
        domain: any words; they become the pack id, lower case with underscores.
        target: the folder to make. Its parents are made as needed; `~` is the home folder.
        version: the pack's version, as text.
        language: the tag under which all texts stand. They are English all the same, for the author to translate.
        transport: `python` for a backend in the pack, `endpoint` for one behind HTTPS.
        include_held_out: whether to add a held-out policy that reserves one record.

    Raises:
        ScaffoldError: when an argument does not do, the target exists, or it cannot be written.
    """
    if transport not in TRANSPORTS:
        raise ScaffoldError(f"transport {transport!r} is none of {', '.join(TRANSPORTS)}")
    contents = starter_files(
        pack_id=pack_id_of(domain),
        version=version_text(version),
        language=language_text(language),
        transport=transport,
        include_held_out=include_held_out,
    )
    folder = Path(target).expanduser().absolute()
    if folder.is_symlink() or folder.exists():
        raise ScaffoldError(f"{folder} is already there; nothing was written")
    try:
        _write(folder, contents)
    except OSError as error:
        raise ScaffoldError(f"cannot write {folder}: {error.strerror or error}") from error
    return folder


def _write(folder: Path, contents: dict[str, str]) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    draft = folder.with_name(f".{folder.name}-{secrets.token_hex(8)}.tmp")
    try:
        draft.mkdir()
        for name, text in contents.items():
            (draft / name).write_text(text, encoding="utf-8", newline="\n")
        _take_name(draft, folder)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _take_name(draft: Path, folder: Path) -> None:
    """Rename the draft, without ever replacing a folder that somebody else made in the meantime.

    A rename alone would silently replace an empty folder. Making the folder first fails when it exists, and replacing
    the empty one just made fails when something was put into it.
    """
    folder.mkdir()
    try:
        draft.rename(folder)
    except OSError:
        folder.rmdir()
        raise
