"""Keys that stand twice in one mapping: which of the two counts depends on who reads the file (ruling 7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.pack.nodes import Entry, MappingNode, Node, SequenceNode
from assay.pack.wording import quoted, spot

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.findings import Place
    from assay.pack.collector import Collector


def report_duplicates(root: Node, found: Collector, place: Callable[[int], Place]) -> None:
    """Report every repeated key of a tree, once for each repetition, naming the place of the first.

    Keys that a YAML merge brings in are meant to be overridden and do not count. Aliased nodes are looked at once.
    """
    seen: set[int] = set()
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, MappingNode):
            _report_in(node, found, place)
            waiting += [entry.node for entry in node.entries]
        elif isinstance(node, SequenceNode):
            waiting += node.items


def _report_in(node: MappingNode, found: Collector, place: Callable[[int], Place]) -> None:
    first: dict[str, Entry] = {}
    for entry in node.entries:
        if entry.merged:
            continue
        if entry.key not in first:
            first[entry.key] = entry
            continue
        earlier, here = place(first[entry.key].offset), place(entry.offset)
        found.add(
            "duplicate_key",
            f"The key {quoted(entry.key)} stands here and, in the same mapping, at {spot(earlier)}.",
            at=here,
            detail={"key": entry.key, "first": {"line": earlier.line, "column": earlier.column}},
        )
