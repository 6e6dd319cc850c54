"""Codes of whole-pack probes."""

from typing import Final

from assay.findings.finding import Code

CODES: Final[tuple[Code, ...]] = ()
