"""`assay explain`: the registry of codes, for people."""

from __future__ import annotations

import difflib
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

from assay.findings import REGISTRY, code_named
from flows.command.exits import CommandError, write_json

if TYPE_CHECKING:
    from assay.findings import Code


def explain_code(name: str | None, *, as_json: bool) -> int:
    """Print one code's explanation, or the list of codes."""
    if name is None:
        return _list_codes(as_json=as_json)
    try:
        code = code_named(name)
    except KeyError as error:
        near = difflib.get_close_matches(name, REGISTRY, n=3)
        hint = f"; did you mean {' or '.join(near)}?" if near else "; `assay explain` lists all codes"
        raise CommandError(f"no finding has the code {name}{hint}", "unknown_code") from error
    if as_json:
        write_json(_facts(code))
    else:
        sys.stdout.write(explanation(code))
    return 0


def explanation(code: Code) -> str:
    """Return a code's explanation as text."""
    counts = "faults of loading" if code.check is None else f"check {code.check} ({code.check.name.lower()})"
    return (
        f"{code.name}  ({code.severity}; counts against {counts})\n\n"
        f"  What it means   {code.meaning}\n"
        f"  Why it matters  {code.why}\n"
        f"  How to mend it  {code.fix}\n"
    )


def _list_codes(*, as_json: bool) -> int:
    if as_json:
        write_json({"codes": [_facts(code) for code in REGISTRY.values()]})
        return 0
    width = max(map(len, REGISTRY))
    for name in sorted(REGISTRY):
        code = REGISTRY[name]
        sys.stdout.write(f"{name:<{width}}  {code.severity:<7}  {code.meaning}\n")
    return 0


def _facts(code: Code) -> dict[str, object]:
    return {**asdict(code), "severity": str(code.severity), "check": None if code.check is None else str(code.check)}
