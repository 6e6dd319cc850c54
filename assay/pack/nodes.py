"""The tree of a parsed file, in which every node knows where it stands.

Both readers build it: the YAML reader always, the JSON reader only when a place is asked for. A node holds the offset
of its first character; lines and columns are worked out from offsets when the first finding needs one.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from assay.findings import Place
from assay.pack.document import NodePlaces

if TYPE_CHECKING:
    from assay.pack.document import NodePath

_LINE_BREAK: Final = re.compile(r"\r\n|\n|\r")


@dataclass(slots=True)
class ScalarNode:
    """A value without parts. `written` is its spelling where that is not the value itself (numbers, booleans, null)."""

    offset: int
    value: Any
    written: str | None = None
    size: int = 1
    height: int = 0

    @property
    def characters(self) -> int:
        """How many characters of text the value holds."""
        return len(self.value) if isinstance(self.value, str) else 0


@dataclass(slots=True)
class SequenceNode:
    """A list. `size` counts all nodes in it, itself included, `characters` those of all its texts, `height` levels."""

    offset: int
    items: list[Node] = field(default_factory=list)
    size: int = 1
    characters: int = 0
    height: int = 1


@dataclass(slots=True)
class MappingNode:
    """A mapping; `entries` keeps repeated keys, of which the last one counts."""

    offset: int
    entries: list[Entry] = field(default_factory=list)
    size: int = 1
    characters: int = 0
    height: int = 1


@dataclass(slots=True)
class Entry:
    """One key of a mapping with its value. `merged`: it came in through a YAML merge key."""

    key: str
    offset: int
    node: Node
    merged: bool = False


Node: TypeAlias = "ScalarNode | SequenceNode | MappingNode"


def data_of(node: Node) -> Any:
    """Return the plain data of a tree. Aliased nodes become separate copies; of repeated keys the last one counts."""
    if isinstance(node, MappingNode):
        return {entry.key: data_of(entry.node) for entry in node.entries}
    if isinstance(node, SequenceNode):
        return [data_of(item) for item in node.items]
    return node.value


@dataclass(frozen=True, slots=True)
class Lines:
    """Where the lines of a text begin."""

    starts: array[int]

    @classmethod
    def of(cls, text: str) -> Lines:
        """Find the lines of a text: they end as editors end them, with LF, CR LF or CR."""
        starts = array("L", (0,))
        starts.extend(match.end() for match in _LINE_BREAK.finditer(text))
        return cls(starts)

    def spot(self, offset: int) -> tuple[int, int]:
        """Return line and column of a character, both counted from 1."""
        line = bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] + 1

    def place(self, file: str, offset: int) -> Place:
        """Return the place of a character of a file."""
        return Place(file, *self.spot(offset))


def places_of(root: Node, text: str) -> NodePlaces:
    """Return the positions of all nodes of a tree."""
    survey = _Survey(Lines.of(text))
    survey.visit(root, ())
    return NodePlaces(values=survey.values, keys=survey.keys, written=survey.written)


@dataclass(slots=True)
class _Survey:
    """One walk over a tree, noting where everything stands."""

    lines: Lines
    values: dict[NodePath, tuple[int, int]] = field(default_factory=dict)
    keys: dict[NodePath, tuple[int, int]] = field(default_factory=dict)
    written: dict[NodePath, str] = field(default_factory=dict)

    def visit(self, node: Node, path: NodePath) -> None:
        self.values[path] = self.lines.spot(node.offset)
        if isinstance(node, MappingNode):
            for entry in node.entries:
                below = (*path, entry.key)
                self.keys[below] = self.lines.spot(entry.offset)
                self.visit(entry.node, below)
        elif isinstance(node, SequenceNode):
            for index, item in enumerate(node.items):
                self.visit(item, (*path, index))
        elif node.written is not None:
            self.written[path] = node.written
