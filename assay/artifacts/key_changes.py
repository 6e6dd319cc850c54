"""What makes one key differ from another, part by part, in words for people.

An artifact's key is a digest, which says nothing; its parts are kept in the artifact (`keys.KeyParts`). Files of the
pack are named precisely when both snapshots are there; from the parts alone only those that play a role are known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from assay.values import canonical_json, digest_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

Part: TypeAlias = Literal["assay", "stage", "pack", "setting", "module", "input"]

_SHOWN_OF_DIGEST = 12
_SHOWN_OF_VALUE = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One part of a key that differs.

    Attributes:
        part: `assay` our own source or the Python it runs on, `stage` the stage's version, `pack` a file, `setting` a
            field of the run config, `module` a distribution from outside the pack, `input` an artifact that it reads.
        name: which one: path of a file, dotted name of a setting, distribution, stage; empty for `assay` and `stage`.
        before: the earlier value as short text; None when there was none.
        after: the later value; None when there is none any more.
    """

    part: Part
    name: str
    before: str | None
    after: str | None

    def __str__(self) -> str:
        match self.part:
            case "assay":
                return "another version of assay or of Python"
            case "stage":
                return f"version {self.after} of the stage (was {self.before})"
            case "input":
                return f"what stage {self.name} left"
            case "pack":
                return f"{self.name} {_what_happened(self)}"
        return f"{self.part} {self.name}: {self.before or 'absent'} -> {self.after or 'absent'}"

    def to_json(self) -> dict[str, str | None]:
        """Return the change as a JSON object."""
        return {"part": self.part, "name": self.name, "before": self.before, "after": self.after}


def _what_happened(change: Change) -> str:
    if change.before is None:
        return "added"
    return "removed" if change.after is None else "changed"


def changes(before: Mapping[str, Any], after: Mapping[str, Any], snapshots: Path) -> list[Change]:
    """Return what differs between the parts of two keys of one stage, causes first and inputs last.

    Args:
        before: parts of the earlier key, as an artifact keeps them.
        after: parts of the later key.
        snapshots: folder of the snapshots of packs.
    """
    found: list[Change] = []
    if before["assay"] != after["assay"]:
        found.append(Change(part="assay", name="", before=before["assay"][:12], after=after["assay"][:12]))
    if before["stage_version"] != after["stage_version"]:
        versions = str(before["stage_version"]), str(after["stage_version"])
        found.append(Change(part="stage", name="", before=versions[0], after=versions[1]))
    found += _pack_changes(before["pack"], after["pack"], snapshots)
    found += _differences("setting", dict(_leaves(before["settings"])), dict(_leaves(after["settings"])))
    found += _differences("module", before["modules"], after["modules"])
    found += _differences("input", before["inputs"], after["inputs"], _SHOWN_OF_DIGEST)
    return found


def _pack_changes(before: Mapping[str, str], after: Mapping[str, str], snapshots: Path) -> list[Change]:
    if before == after:
        return []
    files = _files(snapshots, before), _files(snapshots, after)
    if files[0] is not None and files[1] is not None and files[0] != files[1]:
        return _differences("pack", files[0], files[1], _SHOWN_OF_DIGEST)
    roles = _differences("pack", _roles(before), _roles(after), _SHOWN_OF_DIGEST)
    return roles or [Change(part="pack", name="a file without a role", before="", after="")]


def _files(snapshots: Path, parts: Mapping[str, str]) -> dict[str, str] | None:
    """Return path -> digest of all files of a pack; None when its snapshot is not there (any more)."""
    folder = snapshots / parts.get("tree", "unreadable")
    if not folder.is_dir():
        return None
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): digest_bytes(path.read_bytes()) for path in files}


def _roles(parts: Mapping[str, str]) -> dict[str, str]:
    return {role: value for role, value in parts.items() if role != "tree"}


def _leaves(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Yield dotted name -> value as canonical JSON for everything in the settings that is no object."""
    if isinstance(value, dict) and (value or not name):
        for key, inner in value.items():
            yield from _leaves(inner, f"{name}.{key}" if name else key)
    else:
        yield name, canonical_json(value)


def _differences(
    part: Part, before: Mapping[str, str], after: Mapping[str, str], shown: int = _SHOWN_OF_VALUE
) -> list[Change]:
    def brief(text: str | None) -> str | None:
        return text if text is None else text[:shown]

    return [
        Change(part=part, name=name, before=brief(before.get(name)), after=brief(after.get(name)))
        for name in sorted(before.keys() | after.keys())
        if before.get(name) != after.get(name)
    ]
