"""Packages whose public names are imported at their first use, so that nobody pays for what he does not ask for."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping


def at_first_use(package: str, homes: Mapping[str, Iterable[str]]) -> Callable[[str], Any]:
    """Return a package's `__getattr__` (PEP 562).

    Args:
        package: the package's `__name__`.
        homes: module -> the public names of the package that are defined there.
    """
    home_of = {name: module for module, names in homes.items() for name in names}

    def __getattr__(name: str) -> Any:
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = getattr(import_module(home_of[name]), name)
        setattr(sys.modules[package], name, found)  # so that Python finds it without asking here again
        return found

    return __getattr__
