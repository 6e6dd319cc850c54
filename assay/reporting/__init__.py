"""Showing a report: for people on a terminal, for machines as JSON. Reporters read a report and decide nothing."""

from assay.reporting.text import render_report

__all__ = ["render_report"]
