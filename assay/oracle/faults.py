"""What a worker tells about an exception of pack code, as a type.

A worker's words are not taken on trust: `read_fault` accepts exactly the shape that `worker.faults` writes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assay.oracle.evidence import FailureKind

_KINDS = {str(kind): kind for kind in (FailureKind.RAISED, FailureKind.NOT_JSON, FailureKind.TOO_LARGE)}
_DEEPEST_CHAIN = 8
_MOST_FRAMES = 100
_LONGEST_NAME = 500
_LONGEST_TEXT = 50_000
_LARGEST_NUMBER = 10**9
"""More than `worker.faults` ever writes: what is beyond them, pack code has written."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame of a traceback. `column` counts bytes from 0."""

    file: str
    line: int
    column: int | None
    function: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """An exception, or a value that could not be sent.

    Attributes:
        type: the exception's class; empty for a value.
        text: the exception's text, or what is wrong with the value.
        frames: outermost first.
        syntax: where a SyntaxError points to, its column counted from 0 in characters.
        cause: the exception that it was raised from.
        context: the exception that was being handled.
    """

    kind: FailureKind
    type: str = ""
    text: str = ""
    frames: tuple[Frame, ...] = ()
    syntax: Frame | None = None
    cause: Fault | None = None
    context: Fault | None = None


def read_fault(facts: Any, depth: int = 0) -> Fault:
    """Read what a worker wrote.

    Raises:
        ValueError: when it is not what our program writes.
    """
    if not isinstance(facts, dict) or depth > _DEEPEST_CHAIN or facts.get("kind") not in _KINDS:
        raise ValueError("not a fault")
    return Fault(
        kind=_KINDS[facts["kind"]],
        type=_text(facts.get("type", "")),
        text=_text(facts.get("text", "")),
        frames=_frames(facts.get("frames", [])),
        syntax=_syntax(facts["syntax"]) if "syntax" in facts else None,
        cause=read_fault(facts["cause"], depth + 1) if "cause" in facts else None,
        context=read_fault(facts["context"], depth + 1) if "context" in facts else None,
    )


def _frames(facts: Any) -> tuple[Frame, ...]:
    frames = _list(facts)
    if len(frames) > _MOST_FRAMES:
        raise ValueError("too many frames")
    return tuple(map(_frame, frames))


def _frame(facts: Any) -> Frame:
    file, line, column, function = _list(facts)
    names = _text(file, _LONGEST_NAME), _text(function, _LONGEST_NAME)
    return Frame(names[0], _number(line) or 1, _number(column), names[1])


def _syntax(facts: Any) -> Frame | None:
    """A SyntaxError that pack code raised itself may point nowhere."""
    file, line, offset = _list(facts)
    if not isinstance(file, str):
        return None
    return Frame(_text(file, _LONGEST_NAME), _known(line), _known(offset) - 1, "")


def _known(value: Any) -> int:
    """Pack code can put anything into a SyntaxError's place; what is no number of a line is the first."""
    return value if type(value) is int and 0 < value <= _LARGEST_NUMBER else 1


def _text(value: Any, longest: int = _LONGEST_TEXT) -> str:
    if not isinstance(value, str) or len(value) > longest:
        raise ValueError("not a text of ours")
    return value


def _number(value: Any) -> int | None:
    if value is not None and not (type(value) is int and -1 <= value <= _LARGEST_NUMBER):
        raise ValueError("not a number of ours")
    return value


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError("not a list")
    return value
