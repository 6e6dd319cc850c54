"""Environment and locale of a worker: a few values, all of our choosing."""

from __future__ import annotations

# The C module: `locale` itself would load regular expressions and encodings for nothing.
import _locale
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def settle(scratch: str, locales: Sequence[str]) -> str:
    """Point temporary files at the scratch folder and take the first locale that this system has.

    A process that is told of a locale which is not installed fails in `locale.setlocale`; so nobody is told.

    Returns:
        The locale taken, `C` when none of the wanted ones is installed.
    """
    taken = next(filter(_is_installed, locales), "C")
    os.environ.update(TMPDIR=scratch, LC_ALL=taken, LANG=taken)
    return taken


def _is_installed(locale: str) -> bool:
    before = _locale.setlocale(_locale.LC_CTYPE, None)
    try:
        _locale.setlocale(_locale.LC_CTYPE, locale)
    except _locale.Error:  # type: ignore[attr-defined]  # typeshed knows it as locale.Error
        return False
    _locale.setlocale(_locale.LC_CTYPE, before)
    return True
