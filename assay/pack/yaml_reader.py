"""Reading YAML: plain data, the place of every node, and a finding for whatever is wrong.

The parser of libyaml gives events one after the other; the tree is built here, with a stack of our own, so that no
input can exhaust the C stack, and size and depth are known before anything large is made. Aliases are allowed: each use
counts with all its nodes and characters, so a file of nested aliases is refused long before it is unfolded. What may
stand in a pack is JSON: text keys, finite numbers, no tags beyond the standard ones. Rulings 7 and 8.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import yaml
from yaml import CSafeLoader

from assay.findings import Severity
from assay.pack.bounds import MAX_DEPTH, MAX_DIRECTIVES, MAX_DOCUMENT_BYTES, MAX_NAME, MAX_NODES
from assay.pack.collector import Collector
from assay.pack.document import Document
from assay.pack.duplicates import report_duplicates
from assay.pack.nodes import Entry, MappingNode, Node, ScalarNode, SequenceNode, data_of, places_of
from assay.pack.source_text import SourceText, text_of
from assay.pack.wording import quoted
from assay.pack.yaml_leaves import MERGE_KEY, ScalarReader
from assay.values import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from assay.findings import Finding

_FORBIDDEN: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
_TOO_DEEP: Final = f"Lists and mappings stand more than {MAX_DEPTH} levels within one another."
_PARSER_TOO_DEEP: Final = "exceeded maximum nesting depth"
_FIX_OF: Final = {
    "mapping values are not allowed in this context": "Quote the text: without quotes it cannot hold `: `.",
    "found character that cannot start any token": "Indent with blanks only; quote a text that begins with @ or %.",
    "did not find expected key": "Check the indentation of this line, and that the quotes before it are closed.",
    "did not find expected '-' indicator": "Check the indentation of this line: items of one list begin in one column.",
    "did not find expected ',' or ']'": "Close the bracket, or put a comma between the items.",
    "did not find expected ',' or '}'": "Close the brace, or put a comma between the entries.",
    "found unexpected end of stream": "Close the quotes.",
}


class _Unreadable(Exception):
    """The document cannot be read on; the finding has been made."""


def read_yaml(file: str, source: str | bytes) -> tuple[Document | None, tuple[Finding, ...]]:
    """Read one YAML document.

    Args:
        file: name of the file for places, relative to the pack.
        source: its bytes, or its text.

    Returns:
        The document, or None when its data cannot be known; and what is wrong with it. Never raises for any content.
    """
    found = Collector()
    text = text_of(file, source, found, forbidden=_FORBIDDEN, bom=Severity.WARNING)
    root = None if text is None else _Composer(SourceText(file, text), found).compose()
    if text is None or root is None:
        return None, found.listed()
    return Document(file, data_of(root), partial(places_of, root, text)), found.listed()


@dataclass(slots=True)
class _Open:
    """A container whose end has not come yet. `key` is the pending key of a mapping."""

    node: SequenceNode | MappingNode
    anchor: str | None
    key: ScalarNode | None = None
    key_is_due: bool = True
    merges: list[tuple[int, Node]] = field(default_factory=list)


class _Composer:
    """Builds the tree of one text from the events of the parser."""

    def __init__(self, source: SourceText, found: Collector) -> None:
        self._text = source.text
        self._place = source.place
        self._found = found
        self._scalars = ScalarReader(found, source.place)
        self._open: list[_Open] = []
        self._anchors: dict[str, Node | None] = {}
        self._nodes = 0
        self._repeated_characters = 0
        self._root: Node | None = None
        self._has_repeated_keys = False
        self._takers: Mapping[type, Callable[[Any, int], None]] = {
            yaml.ScalarEvent: self._take_scalar,
            yaml.MappingStartEvent: self._begin_mapping,
            yaml.SequenceStartEvent: self._begin_sequence,
            yaml.MappingEndEvent: self._end,
            yaml.SequenceEndEvent: self._end,
            yaml.AliasEvent: self._take_alias,
        }

    def compose(self) -> Node | None:
        """Return the tree; null for an empty document; None when it cannot be read."""
        try:
            self._refuse_many_directives()
            self._follow_events()
        except yaml.MarkedYAMLError as error:
            self._syntax_error(error)
        except yaml.reader.ReaderError as error:
            self._found.add("yaml_syntax", f"Not valid YAML: {error.reason}.", at=self._place(error.position))
        except _Unreadable:
            pass
        else:
            root = self._root or ScalarNode(0, None, "")
            if self._has_repeated_keys:
                report_duplicates(root, self._found, self._place)
            return root
        return None

    def _follow_events(self) -> None:
        loader = CSafeLoader(self._text)
        documents = 0
        try:
            while True:
                event: Any = loader.get_event()
                kind = type(event)
                if kind in self._takers:
                    self._takers[kind](event, event.start_mark.index)
                elif kind is yaml.StreamEndEvent:
                    return
                elif kind is yaml.DocumentStartEvent:
                    documents += 1
                    if documents > 1:
                        self._second_document(event.start_mark.index)
                        return
        finally:
            loader.dispose()

    # Containers

    def _begin_mapping(self, event: Any, offset: int) -> None:
        self._scalars.check_tag(event.tag, "map", offset)
        self._begin(MappingNode(offset), event.anchor)

    def _begin_sequence(self, event: Any, offset: int) -> None:
        self._scalars.check_tag(event.tag, "seq", offset)
        self._begin(SequenceNode(offset), event.anchor)

    def _begin(self, node: MappingNode | SequenceNode, anchor: str | None) -> None:
        if len(self._open) >= MAX_DEPTH:
            self._too_deep(node.offset)
        self._count(1, node.offset)
        if anchor is not None:
            self._anchors[anchor] = None
        self._open.append(_Open(node, anchor))

    def _end(self, _event: Any, _offset: int) -> None:
        closed = self._open.pop()
        node = closed.node
        if isinstance(node, MappingNode):
            if len({entry.key for entry in node.entries}) < len(node.entries):
                self._has_repeated_keys = True
            self._merge(node, closed.merges)
        self._add(node, closed.anchor)

    def _add(self, node: Node, anchor: str | None) -> None:
        """Put a finished node where it belongs."""
        if anchor is not None:
            self._anchors[anchor] = node
        if not self._open:
            self._root = node
            return
        parent = self._open[-1]
        parent.node.size += node.size
        parent.node.characters += node.characters
        parent.node.height = max(parent.node.height, node.height + 1)
        if isinstance(parent.node, SequenceNode):
            parent.node.items.append(node)
        elif parent.key_is_due:
            parent.key, parent.key_is_due = self._key(node), False
        else:
            self._add_entry(parent, parent.node.entries, node)

    def _add_entry(self, parent: _Open, entries: list[Entry], node: Node) -> None:
        key, parent.key_is_due = parent.key, True
        if key is None:
            return
        if key.written == MERGE_KEY:
            parent.merges.append((key.offset, node))
        else:
            entries.append(Entry(key.value, key.offset, node))

    def _key(self, node: Node) -> ScalarNode | None:
        """Return a key as text; None for one that is no text at all, whose entry is left out."""
        if not isinstance(node, ScalarNode):
            message = "A key of this mapping is itself a list or a mapping."
            self._found.add("key_not_text", message, at=self._place(node.offset))
            return None
        if isinstance(node.value, str):
            return self._bounded_key(node)
        written = node.written or ""
        message = f"The key {quoted(written)} is {shown(node.value)}, not a text."
        at = self._place(node.offset)
        self._found.add("key_not_text", message, at=at, fix=f'Write it in quotes: `"{written}"`.')
        return ScalarNode(node.offset, written)

    def _bounded_key(self, key: ScalarNode) -> ScalarNode:
        """Return a key, cut when it is longer than any name."""
        if len(key.value) <= MAX_NAME:
            return key
        message = f"The key {quoted(key.value)} has {len(key.value)} characters; at most {MAX_NAME} are read."
        self._found.add("name_too_long", message, at=self._place(key.offset))
        return ScalarNode(key.offset, key.value[:MAX_NAME])

    def _merge(self, node: MappingNode, merges: list[tuple[int, Node]]) -> None:
        """Put the entries that merge keys bring in before the mapping's own, which win over them."""
        if not merges:
            return
        brought: list[Entry] = []
        for offset, value in merges:
            sources = value.items if isinstance(value, SequenceNode) else [value]
            for source in reversed(sources):
                if isinstance(source, MappingNode):
                    self._count_again(source, offset)
                    node.size += source.size
                    node.characters += source.characters
                    brought += [Entry(each.key, each.offset, each.node, merged=True) for each in source.entries]
                else:
                    message = "A merge key `<<` takes a mapping or a list of mappings."
                    self._found.add("merge_not_mapping", message, at=self._place(offset))
        node.entries = brought + node.entries

    def _take_alias(self, event: Any, offset: int) -> None:
        name: str = event.anchor
        node = self._anchors.get(name)
        if node is None:
            code, what = ("recursive_alias", "stands inside") if name in self._anchors else ("yaml_syntax", "has no")
            message = f"The alias {quoted('*' + name)} {what} its own anchor."
            self._found.add(code, message, at=self._place(offset))
            node = ScalarNode(offset, None, f"*{name}")
        if len(self._open) + node.height > MAX_DEPTH:
            self._too_deep(offset)
        self._count_again(node, offset)
        self._add(node, None)

    # Scalars

    def _take_scalar(self, event: Any, offset: int) -> None:
        self._count(1, offset)
        self._add(self._scalars.read(event, offset), event.anchor)

    # Limits and faults

    def _count(self, nodes: int, offset: int) -> None:
        self._nodes += nodes
        if self._nodes > MAX_NODES:
            message = f"The document holds more than {MAX_NODES} values, each use of an alias counted."
            self._found.add("input_too_large", message, at=self._place(offset))
            raise _Unreadable

    def _count_again(self, node: Node, offset: int) -> None:
        """Count a node that is used once more."""
        self._count(node.size, offset)
        self._repeated_characters += node.characters
        if self._repeated_characters > MAX_DOCUMENT_BYTES:
            message = f"The aliases of the document stand for more than {MAX_DOCUMENT_BYTES} characters together."
            self._found.add("input_too_large", message, at=self._place(offset))
            raise _Unreadable

    def _too_deep(self, offset: int) -> None:
        self._found.add("input_too_deep", _TOO_DEEP, at=self._place(offset))
        raise _Unreadable

    def _refuse_many_directives(self) -> None:
        starts = [match.start() for match in re.finditer(r"^%(?:TAG|YAML)\b", self._text, re.MULTILINE)]
        if len(starts) > MAX_DIRECTIVES:
            message = f"The document has {len(starts)} directives; at most {MAX_DIRECTIVES} are read."
            self._found.add("input_too_large", message, at=self._place(starts[MAX_DIRECTIVES]))
            raise _Unreadable

    def _second_document(self, offset: int) -> None:
        message = "A second document begins here; only the first one is read."
        self._found.add("multiple_documents", message, at=self._place(offset))

    def _syntax_error(self, error: yaml.MarkedYAMLError) -> None:
        mark = error.problem_mark or error.context_mark
        problem = error.problem or error.context or "it cannot be parsed"
        context = f" ({error.context})" if error.context and error.problem else ""
        at = self._place(mark.index if mark is not None else 0)
        if problem == _PARSER_TOO_DEEP:
            self._found.add("input_too_deep", _TOO_DEEP, at=at)
            return
        self._found.add("yaml_syntax", f"Not valid YAML: {problem}{context}.", at=at, fix=_FIX_OF.get(problem))
