"""assay proves that an oracle pack is Gold.

    from assay import validate

    report = validate("packs/tiny_library")
    report.status            # "gold" or "not_gold"
    report.findings          # every fault, with its place and its fix

The core runs by itself: it knows nothing of Prefect, needs no server, and runs pack code in confined processes only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.checks.report import Report
    from assay.findings import Finding, Place, Severity
    from assay.runner import validate

__all__ = ["Finding", "Place", "Report", "Severity", "validate"]

_HOMES = {
    "Finding": "assay.findings",
    "Place": "assay.findings",
    "Report": "assay.checks.report",
    "Severity": "assay.findings",
    "validate": "assay.runner",
}


def __getattr__(name: str) -> Any:
    """Import a public name at its first use, so that `import assay` costs nothing."""
    from importlib import import_module  # noqa: PLC0415 - only for names that are asked for

    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
