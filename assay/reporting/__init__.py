"""Showing a report: text for people on a terminal, annotations for code review. Reporters read and decide nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.lazy import at_first_use

if TYPE_CHECKING:
    from assay.reporting.annotations import github, sarif
    from assay.reporting.text import render_report

__all__ = ["github", "render_report", "sarif"]

__getattr__ = at_first_use(
    __name__,
    {
        "assay.reporting.annotations": ("github", "sarif"),
        "assay.reporting.text": ("render_report",),
    },
)
