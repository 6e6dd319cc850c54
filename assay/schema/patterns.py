"""Patterns that a pack brings along, matched in bounded time and memory.

A pack's `pattern` is foreign input that runs in our process, and a backtracking engine can be made to run for ever
(`(a|aa)+$`) or to fill the memory when it unrolls counted repetitions (`((a{999}){999}){999}`). So:

* a pattern must compile with Python's `re`, as the contract says, which is quick and compact in every case;
* the repetitions that it spells out are bounded by `MAX_UNROLLED`;
* matching is done by the package `regex`, which reads the same patterns and can be given a time limit. After
  `MATCH_SECONDS` the question counts as unanswered, and the pattern is not tried again.

The meaning is that of `re.search`: not anchored, Unicode-wide character classes.
"""

from __future__ import annotations

import re
import warnings
from functools import lru_cache
from typing import Any, Final

import regex

MATCH_SECONDS: Final = 0.25
MAX_UNROLLED: Final = 100_000

_COUNTED: Final = re.compile(r"(\)?)\{(\d*),?(\d*)\}")


class _Pattern:
    """A compiled pattern, until it turns out to be too slow."""

    __slots__ = ("_compiled",)

    def __init__(self, compiled: Any) -> None:
        self._compiled = compiled

    def search(self, text: str) -> bool | None:
        if self._compiled is None:
            return None
        try:
            return self._compiled.search(text, timeout=MATCH_SECONDS) is not None
        except (TimeoutError, MemoryError):
            self._compiled = None
            return None


def pattern_fault(pattern: str) -> str | None:
    """Return a phrase that says why a pattern cannot be used; None for a usable one."""
    compiled = _compile(pattern)
    return compiled if isinstance(compiled, str) else None


def matches(pattern: str, text: str) -> bool | None:
    """Say whether a usable pattern occurs in a text; None when that takes too long to find out."""
    compiled = _compile(pattern)
    return None if isinstance(compiled, str) else compiled.search(text)


@lru_cache(maxsize=4096)
def _compile(pattern: str) -> _Pattern | str:
    """Return the compiled pattern, or why there is none."""
    if _unrolled(pattern) > MAX_UNROLLED:
        return f"its repetitions spell out more than {MAX_UNROLLED} steps"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(pattern)
            return _Pattern(regex.compile(pattern))
    except (re.error, regex.error, OverflowError, ValueError) as error:
        return str(error)
    except RecursionError:
        return "it is nested too deeply"


def _unrolled(pattern: str) -> int:
    """Return an upper bound for the steps that counted repetitions spell out.

    Counts behind a group multiply what is inside, counts behind a single item add to it; which group encloses which is
    not looked at, so the bound is generous to patterns that people write and never too low.
    """
    steps, groups = len(pattern), 1
    for behind_group, low, high in _COUNTED.findall(pattern):
        count = max(int(digits[:12]) for digits in (low or "1", high or "1"))
        if behind_group:
            groups *= max(count, 1)
        else:
            steps += count
    return steps * groups
