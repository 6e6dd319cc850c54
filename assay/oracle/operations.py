"""How messages speak of the operations of an oracle."""

from __future__ import annotations

from typing import Final

_TITLES: Final = {
    "import": ("the import", "the import of {}"),
    "reset": ("the reset", "the reset of {}"),
    "get_state": ("the state read", "the state read of {}"),
    "list_tools": ("list_tools()", "list_tools() of {}"),
    "call_tool": ("the call", "the call of {}"),
    "assertion": ("an assertion", "assertion {}"),
}


def operation_title(op: str, subject: str | None = None) -> str:
    """Return an operation in words, to stand in the middle of a sentence.

    Args:
        op: as in `assay.oracle.evidence.Failure`; any other word is returned as it is.
        subject: the name of the tool, assertion or file that it concerns.
    """
    alone, with_subject = _TITLES.get(op, (op, f"{op} of {{}}"))
    return alone if subject is None else with_subject.format(subject)


def sentence(text: str) -> str:
    """Return a text that begins with a capital letter and ends with a mark."""
    begun = f"{text[:1].upper()}{text[1:]}"
    return begun if begun.endswith((".", "!", "?")) else f"{begun}."
