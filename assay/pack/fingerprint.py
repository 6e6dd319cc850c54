"""The identity of a pack's contents (ruling 11).

Every part is framed by its length, so that no two packs can run together into the same bytes; the roles that files play
are part of it; so is what was left out, because what loading reports must follow from the fingerprint alone. Host paths
never enter.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

from assay.values import digest, digest_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_FORM: Final = "assay-pack-1"


def fingerprint(files: Mapping[str, bytes], roles: Mapping[str, str], refused: Iterable[tuple[str, str]]) -> str:
    """Return 64 hexadecimal digits.

    Args:
        files: path in the snapshot -> bytes.
        roles: role -> path in the snapshot, or another fixed word for a role without a usable file.
        refused: (code, path) of entries that were left out.
    """
    total = hashlib.sha256()

    def frame(*parts: bytes) -> None:
        for part in parts:
            total.update(len(part).to_bytes(8, "big"))
            total.update(part)

    def section(name: str, pairs: Iterable[tuple[str, bytes]]) -> None:
        ordered = sorted((key.encode("utf-8", "surrogateescape"), value) for key, value in pairs)
        frame(name.encode(), len(ordered).to_bytes(8, "big"))
        for key, value in ordered:
            frame(key, value)

    frame(_FORM.encode())
    section("roles", ((role, name.encode()) for role, name in roles.items()))
    section("files", files.items())
    section("refused", ((name, code.encode()) for code, name in refused))
    return total.hexdigest()


def part_digests(files: Mapping[str, bytes], roles: Mapping[str, str], whole: str) -> dict[str, str]:
    """Return role -> digest of its file's path and bytes, and `tree` -> the fingerprint, for cache keys."""
    parts = {role: digest([name, digest_bytes(files[name])]) for role, name in roles.items() if name in files}
    return {**parts, "tree": whole}
