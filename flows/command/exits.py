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
    """The command cannot do what it was asked to. The text is for people, the kind for machines."""

    def __init__(self, message: str, kind: str = "usage") -> None:
        super().__init__(message)
        self.kind = kind


def write_json(facts: dict[str, Any]) -> None:
    """Write one JSON object to standard output, in ASCII where that cannot carry more."""
    is_unicode = (sys.stdout.encoding or "").lower().startswith("utf")
    json.dump(facts, sys.stdout, indent=2, sort_keys=True, ensure_ascii=not is_unicode)
    sys.stdout.write("\n")


def discard_output() -> None:
    """Give up standard output, which nobody takes any more: what is still to be written goes nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def no_verdict(kind: str, message: str, *, as_json: bool) -> int:
    """Say why there is no verdict; return the exit code."""
    try:
        if as_json:
            write_json({"schema_version": "1.0", "status": "error", "error_type": kind, "reason": message})
        sys.stdout.flush()
    except OSError:
        discard_output()
    sys.stderr.write(f"assay: {message}\n")
    return NO_VERDICT
