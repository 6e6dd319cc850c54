"""assay proves that an oracle pack is Gold.

    from assay import validate

    report = validate("packs/tiny_library")
    report.status            # "gold" or "not_gold"
    report.findings          # every fault, with its place and its fix

The core runs by itself: it knows nothing of Prefect, needs no server, and runs pack code in confined processes only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.lazy import at_first_use

if TYPE_CHECKING:
    from assay.checks.report import Report
    from assay.findings import Finding, Place, Severity
    from assay.runner import validate

__all__ = ["Finding", "Place", "Report", "Severity", "validate"]

__getattr__ = at_first_use(
    __name__,
    {
        "assay.checks.report": ("Report",),
        "assay.findings": ("Finding", "Place", "Severity"),
        "assay.runner": ("validate",),
    },
)
