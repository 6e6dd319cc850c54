"""What an unquoted YAML scalar means.

YAML 1.1 (the rules that existing packs rely on) and YAML 1.2 read some spellings differently: `yes`, `no`, `010`,
`1:30`, `1e3`. The 1.1 meaning holds; where 1.2 differs, the reading says so, and how to write it so that both agree
(ruling 7). Dates and times stay text: JSON has none.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any, Final

from assay.pack.bounds import MAX_DIGITS

_PLAIN_WORDS: Final[dict[str, Any]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_OLD_WORDS: Final[dict[str, bool]] = {
    **dict.fromkeys(("yes", "Yes", "YES", "on", "On", "ON"), True),
    **dict.fromkeys(("no", "No", "NO", "off", "Off", "OFF"), False),
}
_MAYBE_NUMBER: Final = re.compile(r"[-+.0-9]")
_PLAIN_INT: Final = re.compile(r"0|[1-9][0-9]*")
_PLAIN_FLOAT: Final = re.compile(r"[-+]?[0-9]+\.[0-9]*(?:[eE][-+][0-9]+)?")

_INT_1_1: Final = re.compile(
    r"""(?P<sign>[-+]?)(?:
        0b(?P<binary>[01_]+) | 0x(?P<hex>[0-9a-fA-F_]+) | 0(?P<octal>[0-7_]+)
        | (?P<decimal>0|[1-9][0-9_]*) | (?P<sixty>[1-9][0-9_]*(?::[0-5]?[0-9])+))""",
    re.VERBOSE,
)
_FLOAT_1_1: Final = re.compile(
    r"""(?P<decimal>[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)? | \.[0-9][0-9_]*(?:[eE][-+][0-9]+)?)
        | (?P<sixty>[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*)
        | (?P<inf>[-+]?\.(?:inf|Inf|INF)) | (?P<nan>\.(?:nan|NaN|NAN))""",
    re.VERBOSE,
)
_INT_1_2: Final = re.compile(r"(?P<decimal>[-+]?[0-9]+)|0o(?P<octal>[0-7]+)|0x(?P<hex>[0-9a-fA-F]+)")
_FLOAT_1_2: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")


class NumberTooLong(ValueError):
    """A number of more characters than anything can carry."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a scalar means. `rewrite` says how to write it so that every YAML reader agrees; None when all do."""

    value: Any
    rewrite: str | None = None


def means_itself(text: str) -> bool:
    """Say at a glance whether an unquoted scalar is plain text to everybody, as nearly all are."""
    return text not in _PLAIN_WORDS and text not in _OLD_WORDS and _MAYBE_NUMBER.match(text) is None


def read_plain(text: str) -> Reading:
    """Return the meaning of an unquoted scalar.

    Raises:
        NumberTooLong: for a number of more than `MAX_DIGITS` characters.
    """
    if text in _PLAIN_WORDS:
        return Reading(_PLAIN_WORDS[text])
    if text in _OLD_WORDS:
        value = _OLD_WORDS[text]
        return Reading(value, f'`{str(value).lower()}` for the boolean, `"{text}"` for the text')
    return _read_number(text) if _MAYBE_NUMBER.match(text) else Reading(text)


def _read_number(text: str) -> Reading:
    if len(text) <= MAX_DIGITS:
        if _PLAIN_INT.fullmatch(text):
            return Reading(int(text))
        if _PLAIN_FLOAT.fullmatch(text):
            return Reading(float(text))
    old, new = _number_1_1(text), _number_1_2(text)
    if old == new or (old is None and new is None) or _both_nan(old, new):
        return Reading(text if old is None else old)
    return Reading(text if old is None else old, _rewrite(text, old, new))


def _both_nan(old: float | None, new: float | None) -> bool:
    return old is not None and new is not None and math.isnan(old) and math.isnan(new)


def _rewrite(text: str, old: float | None, new: float | None) -> str:
    number = old if old is not None else new
    plain = f"`{number}` for the number, " if number is not None and math.isfinite(number) else ""
    return f'{plain}`"{text}"` for the text'


def _number_1_1(text: str) -> float | None:
    """Return the number that YAML 1.1 sees in a text, or None."""
    if (match := _INT_1_1.fullmatch(text)) is not None:
        _refuse_long(text)
        return _int_1_1(match)
    if (match := _FLOAT_1_1.fullmatch(text)) is None:
        return None
    _refuse_long(text)
    if match["nan"]:
        return math.nan
    if match["inf"]:
        return -math.inf if text.startswith("-") else math.inf
    plain = text.replace("_", "")
    if match["sixty"]:
        return _base_sixty(plain, float)
    return float(plain)


def _int_1_1(match: re.Match[str]) -> int | None:
    """Return the integer of a match; None for a spelling such as `0b_` that has no digits."""
    sign = -1 if match["sign"] == "-" else 1
    if match["sixty"]:
        return sign * int(_base_sixty(match["sixty"].replace("_", ""), int))
    for name, base in (("binary", 2), ("hex", 16), ("octal", 8), ("decimal", 10)):
        if match[name] is not None:
            digits = match[name].replace("_", "")
            return sign * int(digits, base) if digits else (0 if name == "octal" else None)
    return None


def _base_sixty(text: str, number: type[int] | type[float]) -> float:
    sign = -1 if text.startswith("-") else 1
    total: float = 0
    for part in text.lstrip("+-").split(":"):
        total = total * 60 + number(part)
    return sign * total


def _number_1_2(text: str) -> float | None:
    """Return the number that the core schema of YAML 1.2 sees in a text, or None."""
    if (match := _INT_1_2.fullmatch(text)) is not None:
        _refuse_long(text)
        if match["decimal"]:
            return int(text)
        return int(match["octal"], 8) if match["octal"] else int(match["hex"], 16)
    if _FLOAT_1_2.fullmatch(text):
        _refuse_long(text)
        return float(text)
    return _number_1_1(text) if "." in text and _is_special(text) else None


def _is_special(text: str) -> bool:
    return text.lstrip("+-").lower() in (".inf", ".nan")


def _refuse_long(text: str) -> None:
    if len(text) > MAX_DIGITS:
        raise NumberTooLong
