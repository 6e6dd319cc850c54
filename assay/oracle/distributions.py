"""Which installed distributions the modules came from that pack code imported (ruling 41)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

UNKNOWN_VERSION: Final = "absent"
"""For a module that no installed distribution claims: it stands under its own name."""
MOST_FILES: Final = 1000
_LONGEST_NAME: Final = 500


def distributions_of(files: Sequence[str], folders: Sequence[str]) -> dict[str, str]:
    """Return distribution -> version for module files.

    Args:
        files: relative to the folders of installed packages.
        folders: those folders.
    """
    found: dict[str, str] = {}
    unclaimed = set(files)
    if not unclaimed:
        return found
    from importlib import metadata  # noqa: PLC0415 - slow to import, and most packs bring nothing along

    for distribution in metadata.distributions(path=list(folders)):
        record = f"\n{distribution.read_text('RECORD') or ''}"
        claimed = {file for file in unclaimed if f"\n{file}," in record}
        if claimed:
            found[distribution.name] = distribution.version
            unclaimed -= claimed
    found |= {file.partition("/")[0].partition(".")[0]: UNKNOWN_VERSION for file in unclaimed}
    return dict(sorted(found.items()))


def read_files(reported: Any) -> tuple[str, ...]:
    """Return the files that a worker reports once its module is imported.

    What cannot be the name of one is left out, and so is what is more than any pack imports: pack code can claim to
    have imported what it likes.
    """
    files = reported if isinstance(reported, list) else []
    return tuple(file for file in files if isinstance(file, str) and _is_a_name(file))[:MOST_FILES]


def _is_a_name(file: str) -> bool:
    return len(file) <= _LONGEST_NAME and file.isprintable()
