"""Near misses: what an author most likely meant by a name that nothing knows."""

from __future__ import annotations

from difflib import get_close_matches
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

_CLOSENESS: Final = 0.8
_LONGEST: Final = 100
_MOST: Final = 100


def near_miss(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that another is a slip of, or None.

    A slip is a difference in case, in `-` and `_`, in outer blanks, or in a few letters (`suceess_assertions`). Names
    longer than any that people write are not compared: the comparison is quadratic.
    """
    return None if len(name) > _LONGEST else _near_miss(name, tuple(known))


@lru_cache(maxsize=1024)
def _near_miss(name: str, known: tuple[str, ...]) -> str | None:
    plain = {_plain(candidate): candidate for candidate in reversed(known)}
    if _plain(name) in plain:
        return plain[_plain(name)]
    close = get_close_matches(_plain(name), list(plain), n=1, cutoff=_CLOSENESS)
    return plain[close[0]] if close else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a sentence that offers the near miss, with a leading blank; empty when there is none."""
    meant = near_miss(name, known)
    return f" Did you mean `{meant}`?" if meant is not None else ""


def _plain(name: str) -> str:
    return name.strip().casefold().replace("-", "_")
