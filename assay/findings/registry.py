"""The one list of codes, and the one way to make a finding from it."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from assay.findings.codes import ALL
from assay.findings.finding import Code, Finding

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.findings.finding import Check, Place, Severity


def _by_name(codes: tuple[Code, ...]) -> Mapping[str, Code]:
    names = [code.name for code in codes]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ValueError(f"codes declared twice: {', '.join(repeated)}")
    return MappingProxyType({code.name: code for code in codes})


REGISTRY: Final[Mapping[str, Code]] = _by_name(ALL)
"""Every code that assay can emit, by name."""


def code_named(name: str) -> Code:
    """Return the declaration behind a code, with or without its suffix.

    Raises:
        KeyError: for a code that is not declared.
    """
    if name in REGISTRY:
        return REGISTRY[name]
    return REGISTRY[name.partition(":")[0] + ":"]


def finding(
    code: str,
    message: str,
    *,
    at: Place | None = None,
    fix: str | None = None,
    severity: Severity | None = None,
    check: Check | None = None,
    **concerns: Any,
) -> Finding:
    """Make a finding from a declared code.

    Args:
        code: the name of a declared code.
        message: one sentence with the concrete values.
        at: the place in the pack.
        fix: what to do here; the code's general fix when omitted.
        severity: the code's own when omitted.
        check: the code's own when omitted.
        concerns: `template_id`, `slot`, `tool`, `case_id`, `task_id`, `assertion`, `detail`, as in `Finding`.

    Raises:
        KeyError: for a code that is not declared.
    """
    declared = code_named(code)
    return Finding(
        code=code,
        severity=severity or declared.severity,
        message=message,
        fix=fix or declared.fix,
        check=check or declared.check,
        place=at,
        **concerns,
    )
