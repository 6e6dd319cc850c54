"""Reading JSON: plain data, the place of every node, and a finding for whatever is wrong.

The standard library's parser makes the data. What it lets pass although no other JSON reader need accept it (repeated
keys, NaN, numbers beyond a double, halves of surrogate pairs, endless digits) is found in one walk over the data, and
placed by the scanner. Rulings 7 and 8.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from assay.findings import Place, Severity
from assay.pack.bounds import MAX_DEPTH, MAX_DIGITS, MAX_NAME, MAX_NODES
from assay.pack.collector import Collector
from assay.pack.document import Document, NodePath, NodePlaces
from assay.pack.duplicates import report_duplicates
from assay.pack.json_scanner import has_more_values, scan_json, too_deep_at
from assay.pack.nodes import places_of
from assay.pack.source_text import SourceText, text_of
from assay.values import shown

if TYPE_CHECKING:
    from assay.findings import Finding

_FORBIDDEN: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff]")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_SURROGATE_ESCAPE: Final = re.compile(r"\\u[dD][89a-fA-F]")
_HALF_PAIR: Final = "holds half of a surrogate pair, which is no character"
_TRAILING_COMMA: Final = "a comma before the closing bracket"
_LITERALS: Final = re.compile(r"(?:None|True|False|undefined)\b")


class _LongNumber(str):
    """The digits of an integer that is too long to be one."""

    __slots__ = ()


@dataclass(slots=True)
class _Objects:
    """Makes objects for the parser and notes whether any of them repeats a key."""

    repeated: bool = False

    def make(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) != len(pairs):
            self.repeated = True
        return made


def read_json(file: str, source: str | bytes) -> tuple[Document | None, tuple[Finding, ...]]:
    """Read one JSON document.

    Args:
        file: name of the file for places, relative to the pack.
        source: its bytes, or its text.

    Returns:
        The document, or None when its data cannot be known; and what is wrong with it. Never raises for any content.
    """
    found = Collector()
    text = text_of(file, source, found, forbidden=_FORBIDDEN, bom=Severity.ERROR)
    document = None if text is None else _parsed(file, text, found)
    return document, found.listed()


def _parsed(file: str, text: str, found: Collector) -> Document | None:
    if has_more_values(text, MAX_NODES):
        if not _too_deep(file, text, found):
            found.add("input_too_large", f"The document holds more than {MAX_NODES} values.", at=Place(file))
        return None
    objects = _Objects()
    try:
        data = json.loads(text, object_pairs_hook=objects.make, parse_int=_integer)
    except json.JSONDecodeError as error:
        _syntax_error(file, text, error, found)
        return None
    except RecursionError:
        _too_deep(file, text, found)
        return None
    walk = _Walk(check_text=_SURROGATE_ESCAPE.search(text) is not None)
    data = walk.mend(data)
    if walk.too_deep:
        _too_deep(file, text, found)
        return None
    document = Document(file, data, partial(_places, text))
    for fault in walk.faults:
        written = None if fault.of_key else document.written(fault.path)
        text_shown = shown(fault.text, 40) if written is None else shown(written, 40)[1:-1]
        found.add(fault.code, f"{text_shown} {fault.what}.", at=document.place(fault.path, key=fault.of_key))
    if objects.repeated:
        report_duplicates(scan_json(text), found, SourceText(file, text).place)
    return document


def _integer(digits: str) -> int | str:
    return int(digits) if len(digits) <= MAX_DIGITS else _LongNumber(digits)


def _places(text: str) -> NodePlaces:
    return places_of(scan_json(text), text)


def _too_deep(file: str, text: str, found: Collector) -> bool:
    """Say whether a text is too deep, and report it."""
    offset = too_deep_at(text, MAX_DEPTH)
    if offset is None:
        return False
    message = f"Arrays and objects stand more than {MAX_DEPTH} levels within one another."
    found.add("input_too_deep", message, at=SourceText(file, text).place(offset))
    return True


@dataclass(frozen=True, slots=True)
class _Fault:
    """A value or key that JSON text cannot carry: where it stands, what it is, the text that now stands in for it."""

    path: NodePath
    code: str
    what: str
    text: str
    of_key: bool = False


@dataclass(slots=True)
class _Walk:
    """One pass over parsed data that replaces what JSON text cannot carry by text that can be shown."""

    check_text: bool
    too_deep: bool = False
    faults: list[_Fault] = field(default_factory=list)

    def mend(self, data: Any) -> Any:
        """Return the data, mended in place; it is given up as soon as it is too deep."""
        top = [data]
        waiting: list[tuple[Any, NodePath]] = [(top, ())]
        while waiting and not self.too_deep:
            container, path = waiting.pop()
            self.too_deep = len(path) > MAX_DEPTH
            if isinstance(container, dict):
                self._visit(container, list(container.items()), path, waiting)
            else:
                self._visit(container, list(enumerate(container)), path, waiting)
        return top[0]

    def _visit(
        self, container: Any, parts: list[tuple[Any, Any]], path: NodePath, waiting: list[tuple[Any, NodePath]]
    ) -> None:
        for step, value in parts:
            if isinstance(value, (dict, list)):
                waiting.append((value, (*path, step)))
            elif isinstance(value, float):
                if not math.isfinite(value):
                    container[step] = self._fault(
                        path, step, "non_finite_number", "is not a finite number", repr(value)
                    )
            elif isinstance(value, _LongNumber):
                what = f"has {len(value)} characters; at most {MAX_DIGITS} are read"
                container[step] = self._fault(path, step, "number_too_long", what, str(value))
            elif self.check_text and isinstance(value, str) and _SURROGATE.search(value):
                container[step] = self._fault(path, step, "lone_surrogate", _HALF_PAIR, _escaped(value))
        if isinstance(container, dict):
            self._mend_keys(container, path)

    def _mend_keys(self, container: dict[str, Any], path: NodePath) -> None:
        halves = [key for key in container if self.check_text and _SURROGATE.search(key)]
        overlong = [key for key in container if len(key) > MAX_NAME]
        if halves or overlong:
            pairs = [(_escaped(key)[:MAX_NAME], value) for key, value in container.items()]
            container.clear()
            container.update(pairs)
        for key in halves:
            what = f"is a key that {_HALF_PAIR}"
            self.faults.append(_Fault((*path, key)[1:], "lone_surrogate", what, _escaped(key), of_key=True))
        for key in overlong:
            what = f"is a key of {len(key)} characters; at most {MAX_NAME} are read"
            self.faults.append(_Fault((*path, key)[1:], "name_too_long", what, _escaped(key), of_key=True))

    def _fault(self, path: NodePath, step: str | int, code: str, what: str, text: str) -> str:
        """Note a fault and return the text that stands in for the value."""
        self.faults.append(_Fault((*path, step)[1:], code, what, text))
        return text


def _escaped(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _syntax_error(file: str, text: str, error: json.JSONDecodeError, found: Collector) -> None:
    offset, problem = _explained(text, error)
    found.add("json_syntax", f"Not valid JSON: {problem}.", at=SourceText(file, text).place(offset))


def _explained(text: str, error: json.JSONDecodeError) -> tuple[int, str]:
    """Return where a syntax error really stands, and what is wrong, for the slips that people make."""
    before, rest = text[: error.pos].rstrip(), text[error.pos : error.pos + 12]
    if error.msg.startswith("Illegal trailing comma"):
        return error.pos, _TRAILING_COMMA
    if rest[:1] in ("}", "]") and before.endswith(","):
        return len(before) - 1, _TRAILING_COMMA
    if not rest:
        return error.pos, "the file ends too early" if before else "the file is empty"
    return error.pos, _slip(rest) or error.msg[:1].lower() + error.msg[1:]


def _slip(rest: str) -> str | None:
    """Return what is wrong with text that no JSON value begins like, when another language explains it."""
    if rest.startswith(("//", "/*", "#")):
        return "JSON has no comments"
    if rest.startswith("'"):
        return "texts stand in double quotes"
    literal = _LITERALS.match(rest)
    return None if literal is None else f"`{literal.group()}` is not JSON; it has true, false and null"
