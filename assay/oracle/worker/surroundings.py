"""Environment and locale of a worker: a few values, all of our choosing."""

from __future__ import annotations

# The C module: `locale` itself would load regular expressions and encodings for nothing.
import _locale
import os

from .collation import DictionaryOrder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Final

_NEUTRAL: Final = "C"


def settle(scratch: str, locales: Sequence[str]) -> None:
    """Point temporary files at the scratch folder and take the first locale that this system has.

    A process that is told of a locale which is not installed fails in `locale.setlocale`; so nobody is told. The hash
    seed has been read and goes, so that pack code which tells its environment does not depend on that as well.

    Args:
        scratch: the folder for temporary files.
        locales: the wanted locales, best first. When none of them is installed it is C, and where a foreign one was
            wanted at least the order of texts is another.
    """
    taken = next(filter(_is_installed, locales), _NEUTRAL)
    if taken == _NEUTRAL and not locales[0].startswith(_NEUTRAL):
        DictionaryOrder().install()
    os.environ.update(TMPDIR=scratch, LC_ALL=taken, LANG=taken)
    os.environ.pop("PYTHONHASHSEED", None)


def _is_installed(locale: str) -> bool:
    before = _locale.setlocale(_locale.LC_CTYPE, None)
    try:
        _locale.setlocale(_locale.LC_CTYPE, locale)
    except _locale.Error:  # type: ignore[attr-defined]  # typeshed knows it as locale.Error
        return False
    _locale.setlocale(_locale.LC_CTYPE, before)
    return True
