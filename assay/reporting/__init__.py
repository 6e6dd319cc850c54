"""Showing a report: text for people on a terminal, annotations for code review. Reporters read and decide nothing."""

from assay.reporting.annotations import github, sarif
from assay.reporting.text import render_report

__all__ = ["github", "render_report", "sarif"]
