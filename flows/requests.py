"""From what an operator writes (a pack, a folder of packs, a glob, a list file) to run requests.

Paths are absolute in a request, because its stages may be executed by processes that stand elsewhere.
"""

from __future__ import annotations

import glob
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from assay.artifacts.roots import normal_root
from assay.runner import RunRequest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MANIFEST: Final = "manifest.yaml"
_LIST_SUFFIXES: Final = (".txt", ".list")


def request_for(pack: str | Path, **options: Any) -> RunRequest:
    """Return a request for one pack.

    Args:
        pack: a pack folder or a manifest; relative to the working folder.
        options: fields of `RunRequest` by name; None, or an empty text from a form, means the default.

    Raises:
        RootError: when the root can be none.
    """
    given = {name: value for name, value in options.items() if value is not None and value != ""}
    for name in {"config", "output_dir"} & given.keys():
        given[name] = _absolute(given[name])
    if "root" in given:
        given["root"] = normal_root(given["root"])
    if "templates" in given:
        given["templates"] = tuple(given["templates"])
    return RunRequest(pack=_absolute(pack), **given)


def _absolute(path: str | Path) -> str:
    """Return a path as absolute text; an empty text stays what it is."""
    return str(Path(path).absolute()) if str(path) else ""


def requests_for(
    packs: Iterable[str | Path], *, output_dir: str | Path | None = None, **options: Any
) -> list[RunRequest]:
    """Return requests for many packs, with a folder below `output_dir` for each, named after the pack's own.

    Args:
        packs: sources, as `find_packs` takes them.
        output_dir: where the views of the runs go; no views when omitted.
        options: as in `request_for`.

    Raises:
        OSError: when a list file cannot be read.
    """
    requests = [request_for(pack, **options) for pack in find_packs(packs)]
    if not output_dir:
        return requests
    folders = _distinct([each.name or "pack" for each in requests])
    root = Path(output_dir).absolute()
    return [replace(each, output_dir=str(root / folder)) for each, folder in zip(requests, folders, strict=True)]


def _distinct(names: Iterable[str]) -> list[str]:
    """Return the names with a number behind each that has been there before."""
    taken: dict[str, None] = {}
    for name in names:
        candidates = (name if number == 1 else f"{name}-{number}" for number in count(1))
        taken[next(each for each in candidates if each not in taken)] = None
    return list(taken)


def find_packs(sources: Iterable[str | Path]) -> list[Path]:
    """Return the packs that the sources name, each once, in the order named; within a source by path.

    A source is a pack folder, a manifest, a folder whose folders are packs, a glob (only what is a pack counts), or a
    list file (`.txt` or `.list`: one source a line, relative to the file, `#` for remarks). A path that is none of
    these is kept: proving it says what is wrong with it, and the others are proven all the same.

    Raises:
        OSError: when a list file cannot be read.
    """
    return list(dict.fromkeys(pack.absolute() for source in sources if str(source) for pack in _packs_of(Path(source))))


def _packs_of(source: Path) -> Iterable[Path]:
    if glob.has_magic(str(source)) and not source.exists():
        return (each for each in _matches(str(source)) if _is_pack(each))
    if source.suffix in _LIST_SUFFIXES and source.is_file():
        return (pack for entry in _entries(source) for pack in _packs_of(entry))
    if source.is_dir() and not _is_pack(source):
        return sorted(each for each in source.iterdir() if _is_pack(each)) or [source]
    return [source]


def _is_pack(path: Path) -> bool:
    return path.name == MANIFEST or (path / MANIFEST).is_file()


def _matches(pattern: str) -> list[Path]:
    return sorted(Path(each) for each in glob.glob(pattern, recursive=True))  # noqa: PTH207 - takes absolute patterns


def _entries(list_file: Path) -> Iterator[Path]:
    for line in list_file.read_text(encoding="utf-8").splitlines():
        entry = line.partition("#")[0].strip()
        if entry:
            yield list_file.parent / entry
