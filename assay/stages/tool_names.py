"""Whether a text names a tool: as a word of its own, in whatever case (`reference/bind-plan-render.md` 3.8)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from assay.stages.matching import composed, occurs

if TYPE_CHECKING:
    from collections.abc import Iterable


def folded(text: str) -> str:
    """Return a text in the form in which case does not matter."""
    return composed(text.casefold())


class ToolNames:
    """The names that a text must not hold."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = {name: folded(name) for name in sorted(names)}
        self._any = re.compile("|".join(map(re.escape, self._names.values())) or r"(?!)")

    def named_in(self, text: str) -> tuple[str, ...]:
        """Return the names that a folded text holds, in order."""
        if self._any.search(text) is None:
            return ()
        return tuple(name for name, wanted in self._names.items() if occurs(text, wanted))
