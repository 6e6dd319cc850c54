"""The mini-language of slot sources: `kind:rest`, read without looking at the pack.

| source | values |
| --- | --- |
| `fixture:books.book_id`, or `books.book_id` alone | that field of each row that passes the slot's filter |
| `enum:place_order.finish` | the `enum` of that top-level parameter |
| `literal:200000`, `literal:['a', 'b']`, `literal:gravel` | Python literals; what is no literal is text as it stands |
| `range:{'min': 1, 'max': 9, 'step': 2}` | integers, both ends included; `step` may be negative |
| `absent:books` | the ids that the manifest promises not to exist |

The text is cut at its first colon, a fixture path and an enum path at their first dot. A colon with nothing after it is
part of a fixture path; one blank after it is an empty rest, so `literal: ` is the empty text. Kinds are exact. Fixture
and enum paths are not trimmed, the other rests are (`reference/bind-plan-render.md` 1.1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeAlias

from assay.findings.spelling import did_you_mean
from assay.pack.literals import NotALiteralError, NotJsonError, is_unicode, parse_literal
from assay.values import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from assay.values import JsonValue

MAX_RANGE: Final = 2**53
"""Values of one range: as many as there are integers that every JSON reader keeps apart. They are never listed."""

_RANGE_KEYS: Final = ("min", "max", "step")


@dataclass(frozen=True, slots=True)
class FixtureSource:
    """A field of a collection's rows; `field` is one literal key and may hold dots."""

    kind: ClassVar[str] = "fixture"
    collection: str
    field: str


@dataclass(frozen=True, slots=True)
class EnumSource:
    """The `enum` of a tool's top-level parameter."""

    kind: ClassVar[str] = "enum"
    tool: str
    parameter: str


@dataclass(frozen=True, slots=True)
class LiteralSource:
    """Values written out."""

    kind: ClassVar[str] = "literal"
    values: tuple[JsonValue, ...]


@dataclass(frozen=True, slots=True)
class RangeSource:
    """Integers from one end to the other; `ignored` names keys that mean nothing."""

    kind: ClassVar[str] = "range"
    values: range
    ignored: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AbsentSource:
    """The manifest's `absent_ids` of a collection."""

    kind: ClassVar[str] = "absent"
    collection: str


Source: TypeAlias = "FixtureSource | EnumSource | LiteralSource | RangeSource | AbsentSource"


class SourceError(ValueError):
    """A source that does not follow the language. `code` is the finding's code; the text is one sentence."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def split_source(text: str) -> tuple[str, str]:
    """Return the kind of a source, known or not, and the rest."""
    kind, colon, rest = text.partition(":")
    return (kind, rest) if colon and rest else ("fixture", text)


def parse_source(text: str) -> Source:
    """Parse a source.

    Raises:
        SourceError: when it does not follow the language.
    """
    kind, rest = split_source(text)
    parser = _PARSERS.get(kind)
    if parser is None:
        known = ", ".join(f"`{name}`" for name in _PARSERS)
        message = f"`{kind}` is not a kind of source; the kinds are {known}.{did_you_mean(kind, _PARSERS)}"
        raise SourceError(f"unknown_source_kind:{kind}", message)
    return parser(rest)


def _fixture(rest: str) -> FixtureSource:
    collection, dot, field = rest.partition(".")
    if not (collection.strip() and dot and field):
        raise SourceError("bad_fixture_path", f"`{rest}` is not a fixture path `collection.field`.")
    return FixtureSource(collection, field)


def _enum(rest: str) -> EnumSource:
    tool, dot, parameter = rest.partition(".")
    if not (tool and dot and parameter):
        raise SourceError("bad_enum_path", f"`{rest}` is not an enum path `tool.parameter`.")
    return EnumSource(tool, parameter)


def _literal(rest: str) -> LiteralSource:
    text = rest.strip()
    try:
        value = parse_literal(text)
    except NotJsonError as error:
        raise SourceError("invalid_source", f"The literal cannot be bound: {error}.") from None
    except NotALiteralError as error:
        if text.startswith("["):
            raise SourceError("invalid_source", f"The list cannot be read: {error}.") from None
        if not is_unicode(text):
            raise SourceError("invalid_source", f"{text!a} holds an unpaired surrogate.") from None
        return LiteralSource((text,))
    if not text.startswith("[") or not isinstance(value, list):
        return LiteralSource((value,))
    if not value:
        raise SourceError("invalid_source", "The list of literals is empty.")
    return LiteralSource(tuple(value))


def _range(rest: str) -> RangeSource:
    spec = _range_spec(rest.strip())
    low, high, step = _range_parts(spec)
    if step == 0:
        raise SourceError("invalid_source", "The `step` of a range may not be 0.")
    if low != high and (high > low) != (step > 0):
        raise SourceError("invalid_source", f"A step of {step} never leads from {low} to {high}.")
    count = (high - low) // step + 1
    if count > MAX_RANGE:
        raise SourceError("invalid_source", f"The range holds {count} values, more than the {MAX_RANGE} allowed.")
    return RangeSource(range(low, low + count * step, step), tuple(name for name in spec if name not in _RANGE_KEYS))


def _range_spec(text: str) -> Mapping[str, JsonValue]:
    try:
        spec = parse_literal(text)
    except (NotALiteralError, NotJsonError) as error:
        raise SourceError("invalid_source", f"The range cannot be read: {error}.") from None
    if not isinstance(spec, dict):
        raise SourceError("invalid_source", f"A range is a mapping such as {{'min': 1, 'max': 9}}, not {shown(spec)}.")
    missing = [name for name in ("min", "max") if name not in spec]
    if missing:
        names = " and ".join(f"`{name}`" for name in missing)
        raise SourceError("invalid_source", f"The range lacks {names}.")
    return spec


def _range_parts(spec: Mapping[str, JsonValue]) -> tuple[int, int, int]:
    """Return `min`, `max` and `step`; a boolean is no integer."""
    parts: dict[str, Any] = {"step": 1, **spec}
    wrong = [name for name in _RANGE_KEYS if isinstance(parts[name], bool) or not isinstance(parts[name], int)]
    if wrong:
        told = " and ".join(f"`{name}` is {shown(parts[name])}" for name in wrong)
        raise SourceError("invalid_source", f"The parts of a range are integers, but {told}.")
    return parts["min"], parts["max"], parts["step"]


def _absent(rest: str) -> AbsentSource:
    return AbsentSource(rest.strip())


_PARSERS: Final[Mapping[str, Callable[[str], Source]]] = {
    "fixture": _fixture,
    "enum": _enum,
    "literal": _literal,
    "range": _range,
    "absent": _absent,
}
KINDS: Final = tuple(_PARSERS)
"""All kinds of source."""
