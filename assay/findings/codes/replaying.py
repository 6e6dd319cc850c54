"""Codes of replaying and comparing."""

from typing import Final

from assay.findings.finding import Code

CODES: Final[tuple[Code, ...]] = ()
