"""Near misses: what an author most likely meant by a name that nothing knows.

A hostile pack can hold a hundred thousand wrong names and as many right ones, so a look-up must not compare a name with
all others: a cheap measure picks the few that resemble it most, and only these are compared letter by letter.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_CLOSENESS: Final = 0.8
_LONGEST: Final = 100
_MOST_KNOWN: Final = 1000
_MOST_COMPARED: Final = 10


def near_miss(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that another is a slip of, or None.

    A slip is a difference in case, in `-` and `_`, in outer blanks, or in a few letters (`suceess_assertions`). Names
    longer than any that people write are not compared: the comparison is quadratic. Of very many known names only the
    first thousand are looked at for slips in letters.
    """
    return None if len(name) > _LONGEST else _near_miss(name, tuple(known))


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a sentence that offers the near miss, with a leading blank; empty when there is none."""
    meant = near_miss(name, known)
    return f" Did you mean `{meant}`?" if meant is not None else ""


@lru_cache(maxsize=1024)
def _near_miss(name: str, known: tuple[str, ...]) -> str | None:
    names = _known_names(known)
    plain = _plain(name)
    if plain in names.written:
        return names.written[plain]
    close = get_close_matches(plain, names.resembling(plain), n=1, cutoff=_CLOSENESS)
    return names.written[close[0]] if close else None


@dataclass(frozen=True, slots=True)
class _KnownNames:
    """Names to compare with.

    Attributes:
        written: plain form -> the name as it is known.
        letters: plain form -> its letters, a bit each; of the names that are short enough to be compared.
    """

    written: Mapping[str, str]
    letters: Mapping[str, int]

    def resembling(self, plain: str) -> list[str]:
        """Return the few names that have nearly the same letters and nearly the same length, in the order known."""
        if len(self.letters) <= _MOST_COMPARED:
            return list(self.letters)
        own, length = _letters(plain), len(plain)
        measured = sorted(
            ((own ^ letters).bit_count() + abs(length - len(each)), index, each)
            for index, (each, letters) in enumerate(self.letters.items())
        )
        return [each for _, _, each in sorted(measured[:_MOST_COMPARED], key=lambda found: found[1])]


@lru_cache(maxsize=32)
def _known_names(known: tuple[str, ...]) -> _KnownNames:
    written = {_plain(name): name for name in reversed(known)}
    comparable = [each for each in written if len(each) <= _LONGEST][-_MOST_KNOWN:]
    return _KnownNames(written=written, letters={each: _letters(each) for each in comparable})


def _letters(plain: str) -> int:
    """Return which letters a name has, a bit each; letters of other scripts share bits."""
    bits = 0
    for letter in plain:
        bits |= 1 << (ord(letter) & 63)
    return bits


def _plain(name: str) -> str:
    return name.strip().casefold().replace("-", "_")
