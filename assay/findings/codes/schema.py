"""Codes of tool schemas and arguments."""

from typing import Final

from assay.findings.finding import Code

CODES: Final[tuple[Code, ...]] = ()
