"""Another order of texts, where the system has no foreign locale to offer.

Small systems (containers, most of all) have no locale but C, under which every text sorts by its characters' numbers.
There, once pack code has asked for the locale of its environment, texts sort as in a dictionary: capitals beside small
letters. Code that never asks is left alone, as it would be under a real locale.
"""

from __future__ import annotations

import _locale

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class DictionaryOrder:
    """Stands before the C library's own functions, which `locale` takes over when pack code imports it."""

    def __init__(self) -> None:
        self._asked_for = False
        self._setlocale = _locale.setlocale
        self._strxfrm = _locale.strxfrm

    def install(self) -> None:
        """Let everything that imports `locale` from now on sort by this order."""
        for name in ("setlocale", "strxfrm", "strcoll"):
            setattr(_locale, name, getattr(self, name))

    def setlocale(self, category: int, locale: Any = None, /) -> str:
        """Set a locale; that of the environment is the foreign one."""
        taken = self._setlocale(category, locale)
        if locale is not None and category in (_locale.LC_ALL, _locale.LC_COLLATE):
            self._asked_for = locale == ""
        return taken

    def strxfrm(self, text: str, /) -> str:
        """Return a text that sorts as the given one should."""
        by_number = self._strxfrm(text)
        return f"{text.casefold()}\0{text.swapcase()}" if self._asked_for else by_number

    def strcoll(self, one: str, other: str, /) -> int:
        """Return a number below, at or above zero."""
        first, second = self.strxfrm(one), self.strxfrm(other)
        return (first > second) - (first < second)
