"""Whether a text states a value (ruling 21; `reference/bind-plan-render.md` 3.8).

Both sides are compared in Unicode's composed form (NFC), case-sensitively, as whole values:

* A number is a whole number of the text. `500` is not stated by `500.000`, `500,000` or `5500`, `5` not by `5.5` or
  `-5`. Groups of three (`1.500.000`, `1 500 000`, `1'500'000`), lakh groups (`15,00,000`) and a currency letter at its
  side are recognised. A plain blank separates numbers as often as groups, so `12 500` states `12500`, `12` and `500`.
* Any other value must not touch a letter or digit of its own kind, save in scripts that write without gaps or attach
  particles (Chinese, Japanese, Korean, Thai, Lao, Khmer, Burmese): a value in one of these may touch its neighbours.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.values import JsonValue

_NUMBER: Final = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")
_RUN: Final = re.compile(r"[-−]?+[0-9]++(?:[.,'’\u00a0\u202f][0-9]++)*+")
_SPACED_RUN: Final = re.compile(r"(?<![0-9])[-−]?+[0-9]++(?:[.,'’\u00a0\u202f ][0-9]++)++")
_DIGITS: Final = frozenset("0123456789")
_JOINING: Final = frozenset("-−.,'’\u00a0\u202f")
_NUMERIC: Final = _DIGITS | _JOINING
_PART: Final = re.compile(r"[0-9]+|[^0-9]")

_GAPLESS: Final = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Burmese
    (0x1100, 0x11FF),  # Hangul letters
    (0x1780, 0x17FF),  # Khmer
    (0x2E80, 0x2FDF),  # Chinese radicals
    (0x3005, 0x30FF),  # Japanese
    (0x3100, 0x31FF),  # Bopomofo, Hangul letters, Japanese
    (0x3400, 0x4DBF),  # Chinese
    (0x4E00, 0x9FFF),  # Chinese
    (0xA960, 0xA97F),  # Hangul letters
    (0xAA60, 0xAA7F),  # Burmese
    (0xAC00, 0xD7FF),  # Hangul
    (0xF900, 0xFAFF),  # Chinese
    (0xFF66, 0xFFDC),  # half-width Japanese and Hangul
    (0x20000, 0x323AF),  # Chinese
)
_GAPLESS_STARTS: Final = tuple(start for start, _ in _GAPLESS)


def composed(text: str) -> str:
    """Return a text in Unicode's composed form, in which both sides of a comparison must be."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def states(text: str, value: JsonValue) -> bool:
    """Say whether a composed text states a value. Empty text is never stated."""
    wanted = composed(str(value))
    if _NUMBER.fullmatch(wanted):
        return _states_number(text, wanted, is_number=not isinstance(value, str))
    return occurs(text, wanted)


def occurs(text: str, wanted: str) -> bool:
    """Say whether a composed text holds another as a whole word (or whole words)."""
    if not wanted:
        return False
    start = text.find(wanted)
    while start >= 0:
        end = start + len(wanted)
        before = text[start - 1] if start else ""
        if not _joined(wanted[0], before) and not _joined(wanted[-1], text[end : end + 1]):
            return True
        start = text.find(wanted, start + 1)
    return False


def _joined(edge: str, neighbour: str) -> bool:
    """Say whether a value's outermost character and the one beside it belong to one word."""
    if not neighbour:
        return False
    if edge.isdigit():
        return neighbour.isdigit()
    return _is_gapped_letter(edge) and _is_gapped_letter(neighbour)


def _is_gapped_letter(character: str) -> bool:
    """Say whether a character is part of a word, in a script that sets words apart."""
    if character == "_" or character.isascii():
        return character == "_" or character.isalnum()
    if unicodedata.category(character)[0] not in "LMN":
        return False
    code = ord(character)
    index = bisect_right(_GAPLESS_STARTS, code) - 1
    return index < 0 or code > _GAPLESS[index][1]


def _states_number(text: str, wanted: str, *, is_number: bool) -> bool:
    """Look among the numbers of a text; a value that is a number (not text) also by its amount: `1000.0` is `1000`."""
    if wanted.lstrip("-")[0] not in text:
        return False
    if wanted[0] != "-" and _stands_alone(text, wanted):
        return True
    numbers = _numbers_in(text)
    if wanted in numbers:
        return True
    return is_number and "." in wanted and _amount(wanted) in numbers


def _stands_alone(text: str, wanted: str) -> bool:
    """Say whether a number stands in a text as it is, with nothing beside it that numbers are made of."""
    start = text.find(wanted)
    while start >= 0:
        end = start + len(wanted)
        begins = not start or text[start - 1] not in _NUMERIC
        beside = text[end : end + 1]
        if begins and (text[end + 1 : end + 2] if beside in _JOINING else beside) not in _DIGITS:
            return True
        start = text.find(wanted, end)
    return False


def _amount(number: str) -> str:
    return number.rstrip("0").rstrip(".")


@lru_cache(maxsize=256)
def _numbers_in(text: str) -> frozenset[str]:
    """Return every reading of every number in a text."""
    readings: set[str] = set()
    for found in _RUN.finditer(text):
        readings.update(_signed(text, found, _readings(found[0].lstrip("-−"))))
    for found in _SPACED_RUN.finditer(text):
        readings.update(_signed(text, found, _grouped_readings(_PART.findall(found[0].lstrip("-−")))))
    return frozenset(readings)


def _signed(text: str, found: re.Match[str], readings: Iterator[str]) -> Iterator[str]:
    """Put the minus sign back, unless it is a hyphen within a word or between two numbers (`TXN-10`, `5-10`)."""
    before = text[found.start() - 1] if found.start() else " "
    negative = found[0][0] in "-−" and not (before.isalnum() or before in "_)]")
    return (f"-{reading}" if negative else reading for reading in readings)


def _readings(run: str) -> Iterator[str]:
    """Yield how a run of digits and separators can be read as numbers."""
    yield run
    parts = _PART.findall(run)
    numbers, separators = parts[::2], parts[1::2]
    grouped = tuple(_grouped_readings(parts))
    yield from grouped
    if not separators or (grouped and numbers[0] != "0"):
        return
    is_decimal = len(separators) == 1 and separators[0] in ".,"
    if is_decimal:
        yield from _decimal(numbers[0], numbers[1])
    if separators[0] not in "." and len(set(separators)) == 1:
        yield from numbers


def _grouped_readings(parts: Sequence[str]) -> Iterator[str]:
    """Yield the number that grouped digits stand for, with or without a decimal part behind them."""
    numbers, separators = parts[::2], parts[1::2]
    if _is_grouped(numbers, separators):
        yield "".join(numbers)
    has_fraction = len(separators) > 1 and separators[-1] in ".," and separators[-1] not in separators[:-1]
    if has_fraction and _is_grouped(numbers[:-1], separators[:-1]):
        yield from _decimal("".join(numbers[:-1]), numbers[-1])


def _is_grouped(numbers: Sequence[str], separators: Sequence[str]) -> bool:
    """Say whether digits stand in groups of three, or of two with a last one of three (lakh)."""
    first, middle, last = numbers[0], numbers[1:-1], numbers[-1]
    if len(numbers) < 2 or len(last) != 3:
        return False
    threes = len(first) <= 3 and all(len(part) == 3 for part in middle)
    lakh = len(first) <= 2 and all(len(part) == 2 for part in middle) and len(set(separators)) == 1
    return threes or lakh


def _decimal(whole: str, fraction: str) -> Iterator[str]:
    """Yield a decimal number with a point, and its amount without trailing zeros."""
    number = f"{whole}.{fraction}"
    yield number
    yield _amount(number)
