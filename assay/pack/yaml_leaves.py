"""From the events of YAML scalars to values, with a finding for each that JSON cannot hold or readers disagree on."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from assay.pack.bounds import MAX_DIGITS
from assay.pack.nodes import ScalarNode
from assay.pack.yaml_scalars import NumberTooLong, means_itself, read_plain
from assay.values import shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.findings import Place
    from assay.pack.collector import Collector

MERGE_KEY: Final = "<<"
"""As a key, unquoted: merges another mapping into its own. A node so written carries it as `written`."""

_STANDARD: Final = "tag:yaml.org,2002:"
_TYPES: Final[dict[str, tuple[type, ...]]] = {
    "int": (int,),
    "float": (int, float),
    "bool": (bool,),
    "null": (type(None),),
}


@dataclass(frozen=True, slots=True)
class ScalarReader:
    """Reads the scalars of one text."""

    found: Collector
    place: Callable[[int], Place]

    def read(self, event: Any, offset: int) -> ScalarNode:
        """Return the node of a scalar event; a value that JSON cannot hold is replaced by its text."""
        text: str = event.value
        is_plain: bool = event.implicit[0]
        if event.tag is not None and event.tag != "!":
            return self._tagged(event.tag, text, offset)
        if not is_plain or means_itself(text):
            return ScalarNode(offset, text, MERGE_KEY if is_plain and text == MERGE_KEY else None)
        return self._plain(text, offset)

    def check_tag(self, tag: str | None, standard: str, offset: int) -> None:
        """Report the tag of a list or mapping unless it is the standard one."""
        if tag not in (None, "!", _STANDARD + standard):
            self._unsupported(str(tag), offset)

    def _plain(self, text: str, offset: int) -> ScalarNode:
        try:
            reading = read_plain(text)
        except NumberTooLong:
            message = f"The number {text[:20]}... has {len(text)} characters; at most {MAX_DIGITS} are read."
            self.found.add("number_too_long", message, at=self.place(offset))
            return ScalarNode(offset, text)
        if isinstance(reading.value, float) and not math.isfinite(reading.value):
            self.found.add("non_finite_number", f"`{text}` is not a finite number.", at=self.place(offset))
            return ScalarNode(offset, text)
        if reading.rewrite is not None:
            message = f"`{text}` is read as {shown(reading.value)} here and differently by YAML 1.2."
            self.found.add("ambiguous_scalar", message, at=self.place(offset), fix=f"Write {reading.rewrite}.")
        return ScalarNode(offset, reading.value, None if isinstance(reading.value, str) else text)

    def _tagged(self, tag: str, text: str, offset: int) -> ScalarNode:
        """Return a scalar with an explicit tag; a tag that does not fit leaves the text as it is."""
        name = tag.removeprefix(_STANDARD) if tag.startswith(_STANDARD) else ""
        if name in ("str", "timestamp"):
            return ScalarNode(offset, text)
        if name in _TYPES:
            node = self._plain(text, offset)
            if type(node.value) in _TYPES[name]:
                return ScalarNode(offset, float(node.value), text) if name == "float" else node
        self._unsupported(tag, offset)
        return ScalarNode(offset, text)

    def _unsupported(self, tag: str, offset: int) -> None:
        name = tag.replace(_STANDARD, "!!", 1)[:60]
        self.found.add("unsupported_tag", f"The tag `{name}` does not fit here.", at=self.place(offset))
