"""The system prompt file: any UTF-8 text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from assay.findings import Place, Severity
from assay.pack.source_text import text_of

if TYPE_CHECKING:
    from assay.pack.collector import Collector

_FORBIDDEN: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]")


def read_prompt(file: str, source: bytes, found: Collector) -> str | None:
    """Return the text of a system prompt file; None, reported, when it cannot be read. A blank one is reported."""
    text = text_of(file, source, found, forbidden=_FORBIDDEN, bom=Severity.WARNING)
    if text is not None and not text.strip():
        found.add("blank_text", "The system prompt file is blank.", at=Place(file), severity=Severity.WARNING)
    return text
