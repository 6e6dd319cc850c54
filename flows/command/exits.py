"""How the command ends, and what it says when there is no verdict."""

from __future__ import annotations

import json
import os
import sys
from typing import Any, Final

GOLD: Final = 0
NO_VERDICT: Final = 1
NOT_GOLD: Final = 2

EXIT_OF_STATUS: Final = {"gold": GOLD, "not_gold": NOT_GOLD, "error": NO_VERDICT}


class CommandError(Exception):
    """The command cannot do what it was asked to. The text is for people, the kind for machines.

    Attributes:
        resume: the command that takes up what was begun; None when nothing was.
    """

    def __init__(self, message: str, kind: str = "usage", resume: str | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.resume = resume


def write_json(facts: dict[str, Any]) -> None:
    """Write one JSON object to standard output, in ASCII where that cannot carry more."""
    is_unicode = (sys.stdout.encoding or "").lower().startswith("utf")
    json.dump(facts, sys.stdout, indent=2, sort_keys=True, ensure_ascii=not is_unicode)
    sys.stdout.write("\n")


def discard_output() -> None:
    """Give up standard output, which nobody takes any more: what is still to be written goes nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def no_verdict(kind: str, message: str, *, as_json: bool, resume: str | None = None) -> int:
    """Say why there is no verdict, and which command takes up what was begun; return the exit code."""
    facts = {"schema_version": "1.0", "status": "error", "error_type": kind, "reason": message}
    try:
        if as_json:
            write_json(facts if resume is None else {**facts, "resume": resume})
        sys.stdout.flush()
    except OSError:
        discard_output()
    sys.stderr.write(f"assay: {message}\n")
    if resume is not None:
        sys.stderr.write(f"next: {resume}\n")
    return NO_VERDICT
