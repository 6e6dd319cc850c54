"""Codes of reading a pack: first its files, then what they say."""

from typing import Final

from assay.findings.codes import loading_content, loading_files
from assay.findings.finding import Code

CODES: Final[tuple[Code, ...]] = (*loading_files.CODES, *loading_content.CODES)
