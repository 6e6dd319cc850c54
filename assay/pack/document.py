"""A parsed pack file: its plain data, and the place in the file of every node in it.

Readers (`yaml_reader`, `json_reader`) make documents; models keep an `Anchor` into one, so that any later stage can
name the exact line and column of what it complains about. Places are looked up only when a finding needs them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from assay.findings import Place

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

NodePath: TypeAlias = "tuple[str | int, ...]"
"""Keys and indices from the top of a document down to a node."""


@dataclass(frozen=True, slots=True)
class NodePlaces:
    """Positions of one document's nodes.

    Attributes:
        values: path of a node -> (line, column) where its value starts, counted from 1.
        keys: path of a mapping entry -> (line, column) where its key starts.
        written: path of a number, boolean or null -> how the file spells it.
    """

    values: Mapping[NodePath, tuple[int, int]]
    keys: Mapping[NodePath, tuple[int, int]]
    written: Mapping[NodePath, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Document:
    """One parsed file of a pack.

    Attributes:
        file: path relative to the pack root, with forward slashes.
        data: plain Python data: dict, list, str, int, float, bool, None.
        locate: computes the positions; called at most once, at the first finding.
    """

    file: str
    data: Any
    locate: Callable[[], NodePlaces]
    _memo: list[NodePlaces] = field(default_factory=list, repr=False, compare=False)

    @property
    def places(self) -> NodePlaces:
        """Positions of all nodes, computed at first use."""
        if not self._memo:
            self._memo.append(self.locate())
        return self._memo[0]

    def place(self, path: NodePath = (), *, key: bool = False) -> Place:
        """Return the place of a node's value (or of its key), or of the nearest ancestor that stands in the file."""
        table = self.places.keys if key else self.places.values
        for end in range(len(path), -1, -1):
            spot = table.get(path[:end]) or self.places.values.get(path[:end])
            if spot is not None:
                return Place(self.file, *spot)
        return Place(self.file)

    def written(self, path: NodePath) -> str | None:
        """Return how the file spells a number, boolean or null; None for other nodes."""
        return self.places.written.get(path)

    def anchor(self, *path: str | int) -> Anchor:
        """Return an anchor at a node of this document."""
        return Anchor(self, path)


@dataclass(frozen=True, slots=True)
class Anchor:
    """A node of a document, remembered by a model so that findings can say where it stands."""

    document: Document = field(repr=False)
    path: NodePath = ()

    def __getitem__(self, step: str | int) -> Anchor:
        return Anchor(self.document, (*self.path, step))

    def place(self, *below: str | int) -> Place:
        """Return the place of this node's value, or of a node below it; a missing node falls back to its parent."""
        return self.document.place((*self.path, *below))

    def key_place(self, *below: str | int) -> Place:
        """Return the place of the key under which this node (or one below it) stands."""
        return self.document.place((*self.path, *below), key=True)

    def written(self, *below: str | int) -> str | None:
        """Return how the file spells a number, boolean or null below this node; None for other nodes."""
        return self.document.written((*self.path, *below))

    def data(self, *below: str | int) -> Any:
        """Return what the file holds at this node or below it, as plain data; None where it holds nothing."""
        node = self.document.data
        for step in (*self.path, *below):
            node = _part(node, step)
        return node


def _part(node: Any, step: str | int) -> Any:
    """Return one part of a list or mapping; None when it has no such part."""
    if isinstance(node, dict):
        return node.get(step)
    if isinstance(node, list) and isinstance(step, int) and 0 <= step < len(node):
        return node[step]
    return None
