"""From the bytes of a file to its text: size, encoding and characters that no text file holds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from assay.findings import Place, Severity
from assay.pack.bounds import MAX_DOCUMENT_BYTES
from assay.pack.nodes import Lines

if TYPE_CHECKING:
    import re

    from assay.pack.collector import Collector

_BOM = "\ufeff"


@dataclass(frozen=True)
class SourceText:
    """The text of a file, and where its characters stand."""

    file: str
    text: str

    @cached_property
    def _lines(self) -> Lines:
        return Lines.of(self.text)

    def place(self, offset: int) -> Place:
        """Return the place of a character; one beyond the end is the end."""
        return self._lines.place(self.file, min(offset, len(self.text)))


def text_of(
    file: str, source: str | bytes, found: Collector, *, forbidden: re.Pattern[str], bom: Severity
) -> str | None:
    """Return the text of a file, or None when it has none that could be parsed.

    Args:
        file: name for places.
        source: the bytes of the file; text that was decoded elsewhere is checked in the same way.
        found: takes the findings.
        forbidden: characters that the format does not allow anywhere.
        bom: how much a byte order mark weighs; it is never part of the text returned.
    """
    data = source.encode("utf-8", "surrogatepass") if isinstance(source, str) else source
    if len(data) > MAX_DOCUMENT_BYTES:
        message = f"The file has {len(data)} bytes; at most {MAX_DOCUMENT_BYTES} are read."
        found.add("input_too_large", message, at=Place(file))
        return None
    text = _decoded(file, data, found)
    if text is None:
        return None
    if text.startswith(_BOM):
        found.add("byte_order_mark", "The file begins with a byte order mark.", at=Place(file), severity=bom)
        text = text.removeprefix(_BOM)
    stray = forbidden.search(text)
    if stray is not None:
        message = f"The file holds the character U+{ord(stray.group()):04X}, which may not stand in it."
        found.add("control_character", message, at=SourceText(file, text).place(stray.start()))
        return None
    return text


def _decoded(file: str, data: bytes, found: Collector) -> str | None:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        message = f"The file is not UTF-8: byte 0x{data[error.start]:02X} cannot stand here."
        found.add("not_utf8", message, at=SourceText(file, before).place(len(before)))
        return None
