"""Kinds of values that only a run config has, read from a `Fields` in the same way as a pack's."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeGuard

from assay.findings.spelling import did_you_mean
from assay.pack.bounds import MAX_PATH
from assay.pack.wording import described

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from assay.pack.fields import Fields

_TOTAL_TOLERANCE = 1e-9


def invalid(fields: Fields, name: str, what: str) -> None:
    """Report a setting that has the right type and a wrong value; the message begins with its dotted name."""
    fields.report("invalid_setting", f"{fields.named(name)} {what}.", name)


def nonblank(fields: Fields, name: str) -> str | None:
    """Return a text that is not blank and could be part of a path; None when it is absent, null or (reported) not."""
    value = fields.name(name, longest=MAX_PATH)
    if value is None or "\0" not in value:
        return value
    invalid(fields, name, "holds a NUL character")
    return None


def choice(fields: Fields, name: str, allowed: Collection[str]) -> str | None:
    """Return one of some words; None when it is absent, null or (reported) anything else."""
    value = fields.get(name)
    if value is None or (isinstance(value, str) and value in allowed):
        return value
    words = ", ".join(f"`{word}`" for word in allowed)
    hint = did_you_mean(value, allowed) if isinstance(value, str) else ""
    message = f"{fields.named(name)} must be one of {words}, but it is {described(value)}.{hint}"
    fields.report("invalid_setting", message, name)
    return None


def number(fields: Fields, name: str) -> float | None:
    """Return a number, never a boolean; None when it is absent, null or (reported) anything else."""
    value = fields.get(name)
    if is_number(value):
        return value
    if value is not None:
        fields.wrong("a finite number", value, name)
    return None


def is_number(value: Any) -> TypeGuard[float]:
    """Say whether a value is a finite number."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def seconds(fields: Fields, name: str, default: float) -> float:
    """Return a duration above zero."""
    value = number(fields, name)
    if value is None:
        return default
    if value <= 0:
        invalid(fields, name, f"must be more than 0 seconds, but it is {value}")
        return default
    return float(value)


def share(fields: Fields, name: str, *, below_one: bool = False) -> float | None:
    """Return a number above 0 and up to 1, or below 1."""
    value = number(fields, name)
    if value is not None and not (0 < value < 1 or (value == 1 and not below_one)):
        invalid(fields, name, f"must lie above 0 and {'below 1' if below_one else 'be at most 1'}, but it is {value}")
        return None
    return value


def mix(fields: Fields, name: str, labels: Collection[str] | None) -> dict[str, float]:
    """Return the shares of a mix: label -> share from 0 to 1, together 1 (empty when it is absent or faulty).

    Args:
        fields: reader of `task_generation`.
        name: the mix.
        labels: labels that it may have; None for any.
    """
    if fields.get(name) is None:
        return {}
    below = fields.below(name, fields.mapping(name))
    if labels is not None:
        _check_labels(below, labels)
    shares = {label: value for label in below.data if (value := _share_of(below, label)) is not None}
    if isinstance(fields.get(name), dict) and not below.data:
        invalid(fields, name, "must not be empty")
    elif below.data and len(shares) == len(below.data) and abs(sum(shares.values()) - 1) > _TOTAL_TOLERANCE:
        invalid(fields, name, f"must add up to 1, but its shares add up to {round(sum(shares.values()), 12)}")
    return shares


def _check_labels(below: Fields, labels: Collection[str]) -> None:
    for label in below.data:
        if label not in labels:
            known = ", ".join(f"`{each}`" for each in labels)
            hint = did_you_mean(label, labels)
            message = f"{below.named(label)} is not one of {known}.{hint}"
            below.report("invalid_setting", message, label, key=True)


def _share_of(below: Fields, label: str) -> float | None:
    value = below.get(label)
    if not label.strip():
        below.report("blank_text", f"{below.named(label)} has a blank label.", label, key=True)
    if not is_number(value):
        below.wrong("a number from 0 to 1", value, label)
        return None
    if not 0 <= value <= 1:
        invalid(below, label, f"must lie from 0 to 1, but it is {value}")
        return None
    return value


def flags(fields: Fields, names: Mapping[str, bool]) -> dict[str, bool]:
    """Return booleans by name; `names` gives their defaults."""
    return {name: fields.flag(name, default=default) for name, default in names.items()}
