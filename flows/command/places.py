"""From what people type to absolute places."""

from __future__ import annotations

import glob
from pathlib import Path

from assay.runner import default_root
from flows.command.exits import CommandError


def resolve_root(root: str | None, output_dir: Path | None = None) -> str:
    """Return the artifact store: the one named, else one inside the output folder, else the user's own."""
    if root is not None:
        return root if "://" in root else str(Path(root).absolute())
    if output_dir is not None:
        return str((output_dir / "store").absolute())
    return default_root()


def resolve_packs(given: tuple[str, ...]) -> list[Path]:
    """Return the pack folders behind folders, globs, folders of packs and list files, each once, in order.

    Raises:
        CommandError: when something names no pack.
    """
    found: dict[Path, None] = {}
    for text in given:
        for path in _packs_behind(text):
            found.setdefault(path.absolute())
    return list(found)


def _packs_behind(text: str) -> list[Path]:
    path = Path(text)
    if path.is_dir():
        return _packs_in(path)
    if path.is_file():
        if path.name == "manifest.yaml":
            return [path.parent]
        return [pack for line in _listed(path) for pack in _packs_behind(line)]
    matches = sorted(glob.glob(text))  # noqa: PTH207 - the pattern may be absolute
    if not matches:
        raise CommandError(f"no pack at {text}", "no_such_pack")
    return [pack for match in matches for pack in _packs_behind(match)]


def _packs_in(folder: Path) -> list[Path]:
    """A folder with a manifest is a pack; one without is a folder of packs, if it holds any."""
    if (folder / "manifest.yaml").exists():
        return [folder]
    inner = sorted(each.parent for each in folder.glob("*/manifest.yaml"))
    return inner or [folder]


def _listed(file: Path) -> list[str]:
    """Lines of a list file; relative ones are relative to the file; blank lines and # comments are skipped."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"cannot read the list of packs {file}: {error}", "unreadable_list") from error
    named = (line.strip() for line in lines)
    return [str(file.parent / name) for name in named if name and not name.startswith("#")]
