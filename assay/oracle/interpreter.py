"""The interpreter that workers run: this one, without what `site` adds to it."""

from __future__ import annotations

import site
import sys
from functools import cache
from pathlib import Path
from typing import Final

LAUNCHER: Final = Path(__file__).with_name("worker") / "launch.py"


def command(*arguments: str) -> list[str]:
    """Return the command line of a worker.

    `-S` and `-s`: no `site`, so no `.pth` files, no `sitecustomize`, no folder of the user's. `-P`: our own folder does
    not get onto the search path. `-u`: what is printed before a kill is seen. `-X utf8`: text files are read the same
    on every machine. Not `-I`, which would ignore `PYTHONHASHSEED`; the environment is ours anyway. Not `-B`: the
    launcher lets byte code of our own program be written and stops it before the pack is loaded.
    """
    return [sys.executable, "-S", "-s", "-P", "-u", "-X", "utf8", str(LAUNCHER), *arguments]


def is_ours(file: str) -> bool:
    """Say whether a source file is part of the worker's own program."""
    return file.startswith(f"{LAUNCHER.parent}/")


@cache
def package_folders() -> tuple[str, ...]:
    """Return the folders of installed packages."""
    return tuple(folder for folder in site.getsitepackages() if Path(folder).is_dir())


@cache
def readable_folders() -> tuple[str, ...]:
    """Return what a worker must be able to read besides the pack: the interpreter, its library, installed packages."""
    prefixes = (sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix)
    return tuple(dict.fromkeys(str(Path(each).resolve()) for each in (*prefixes, *package_folders())))


@cache
def known_places() -> dict[Path, str]:
    """Return absolute folders -> how to call them in messages."""
    standard_library = Path(site.__file__).parent
    packages = {Path(folder): "<site-packages>" for folder in package_folders()}
    prefixes = {Path(each): "<python>" for each in (sys.prefix, sys.base_prefix)}
    return {**prefixes, standard_library: "<python>", **packages}
