"""What a worker tells about an exception of pack code, as a type.

A worker's words are not taken on trust: `read_fault` accepts exactly the shape that `worker.faults` writes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assay.oracle.evidence import FailureKind

_KINDS = {str(kind): kind for kind in (FailureKind.RAISED, FailureKind.NOT_JSON, FailureKind.TOO_LARGE)}
_DEEPEST_CHAIN = 8


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
        frames=tuple(_frame(each) for each in _list(facts.get("frames", []))),
        syntax=_syntax(facts["syntax"]) if "syntax" in facts else None,
        cause=read_fault(facts["cause"], depth + 1) if "cause" in facts else None,
        context=read_fault(facts["context"], depth + 1) if "context" in facts else None,
    )


def _frame(facts: Any) -> Frame:
    file, line, column, function = _list(facts)
    return Frame(_text(file), _number(line) or 1, _number(column), _text(function))


def _syntax(facts: Any) -> Frame | None:
    """A SyntaxError that pack code raised itself may point nowhere."""
    file, line, offset = _list(facts)
    if not isinstance(file, str):
        return None
    return Frame(file, line if isinstance(line, int) else 1, offset - 1 if isinstance(offset, int) else 0, "")


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("not a text")
    return value


def _number(value: Any) -> int | None:
    if value is not None and type(value) is not int:
        raise ValueError("not a number")
    return value


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError("not a list")
    return value
