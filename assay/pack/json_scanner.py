"""The places of all nodes of a JSON text.

The standard library's parser is fast and exact but forgets where things stood. This scanner goes over a text that the
parser has accepted and builds the tree with offsets. It runs only when a place is needed.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from itertools import islice
from typing import Final

from assay.pack.nodes import Entry, MappingNode, Node, ScalarNode, SequenceNode

_TOKEN: Final = re.compile(
    r'[ \t\r\n]*(?:(?P<string>"[^"\\]*(?:\\.[^"\\]*)*")|(?P<mark>[][{}:,])|(?P<word>[^][{}:,"\s]+))'
)


_SEPARATOR: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[,[{]')


_BRACKET: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[][{}]')


def has_more_values(text: str, limit: int) -> bool:
    """Say whether a JSON text holds more values than a limit, without making any of them."""
    if text.count(",") + text.count("[") + text.count("{") < limit:
        return False
    separators = (match.start() for match in _SEPARATOR.finditer(text) if text[match.start()] != '"')
    return next(islice(separators, limit - 1, None), None) is not None


def too_deep_at(text: str, max_depth: int) -> int | None:
    """Return where the first container stands that lies within `max_depth` others; None when there is none."""
    depth = 0
    for match in _BRACKET.finditer(text):
        mark = text[match.start()]
        if mark in "[{":
            depth += 1
            if depth > max_depth:
                return match.start()
        elif mark in "]}":
            depth -= 1
    return None


@dataclass(slots=True)
class _Open:
    """A container whose end has not come yet. `key` is the pending key of an object, with its offset."""

    node: MappingNode | SequenceNode
    key: tuple[str, int] | None = None


def scan_json(text: str) -> Node:
    """Return the tree of a well-formed JSON text."""
    outermost = SequenceNode(0)
    open_nodes = [_Open(outermost)]
    position = 0
    while (match := _TOKEN.match(text, position)) is not None:
        position = match.end()
        mark = match["mark"]
        if mark in ("{", "["):
            node = MappingNode(match.start("mark")) if mark == "{" else SequenceNode(match.start("mark"))
            _add(open_nodes[-1], node)
            open_nodes.append(_Open(node))
        elif mark in ("}", "]"):
            open_nodes.pop()
        elif mark is None:
            _take_scalar(open_nodes[-1], match)
    return outermost.items[0]


def _take_scalar(parent: _Open, match: re.Match[str]) -> None:
    """Put a string, a number or a word where it belongs: as the key that is due, or as a value."""
    word = match["word"]
    if word is not None:
        _add(parent, ScalarNode(match.start("word"), None, word))
        return
    value = json.loads(match["string"])
    if isinstance(parent.node, MappingNode) and parent.key is None:
        parent.key = (value, match.start("string"))
    else:
        _add(parent, ScalarNode(match.start("string"), value))


def _add(parent: _Open, node: Node) -> None:
    if isinstance(parent.node, SequenceNode):
        parent.node.items.append(node)
    elif parent.key is not None:
        parent.node.entries.append(Entry(parent.key[0], parent.key[1], node))
        parent.key = None
