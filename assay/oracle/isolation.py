"""The report's list of protections (ruling 28)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

ALWAYS: Final[Mapping[str, Any]] = {
    "separate_processes": True,
    "own_session": True,
    "empty_environment": True,
    "closed_descriptors": True,
    "captured_output": True,
    "scratch_folder": True,
}
"""What every worker has, on every system, because our own process sees to it."""


def weaker(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Return what holds for both of two workers."""
    return {name: _weaker(one[name], other[name]) for name in one if name in other}


def _weaker(one: Any, other: Any) -> Any:
    if one == other:
        return one
    if isinstance(one, dict):
        return {**other, **one}
    if isinstance(one, list):
        return [each for each in one if each in other]
    return min(one, other) if isinstance(one, int) else "varies"
