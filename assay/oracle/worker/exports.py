"""Which assertions a module exports.

With a mapping `ASSERTIONS`, its callable entries and nothing else; without one, the module's callables whose names
begin with `assert_` (the seed on assertions, "Export Contract"). Lookup and discovery are one and the same here.
"""

from __future__ import annotations

from collections.abc import Mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any


def exported(module: ModuleType) -> dict[str, Callable[..., Any]]:
    """Return the exported assertions by name, in the module's order."""
    declared = getattr(module, "ASSERTIONS", None)
    if isinstance(declared, Mapping):
        return {name: each for name, each in declared.items() if isinstance(name, str) and callable(each)}
    return {name: each for name, each in vars(module).items() if name.startswith("assert_") and callable(each)}
