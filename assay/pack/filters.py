"""The filter language of fixture sources: `field operator literal`, joined by `and`.

A filter is parsed once and wholly, before any row is read, so that every bad clause is found whatever the data
(ruling 14). Its grammar is Python's, cut down: `status == 'available' and copies >= 2 and branch in ['A', 'B']`.
Values compare as an author means them (ruling 3: `True` is not `1`, `1` is `1.0`). A field that a row lacks makes its
clause false under every operator, `!=` and `not in` included (`reference/bind-plan-render.md` 1.2).

What only data can show - ordering a text against a number, looking for a number in a text - is a `FilterDataError`.
Clauses are tried from left to right and the first false one decides, so `kind == 'book' and copies > 1` never orders
what is not a book.

Limits: a field is written as a Python identifier, so names with a hyphen or a dot cannot be filtered on.
"""

from __future__ import annotations

import ast
import operator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from assay.pack.literals import NotALiteralError, NotJsonError, literal_value, parse_expression
from assay.values import equality_key, same_value, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from assay.values import JsonValue

_SYMBOLS: Final[Mapping[type[ast.cmpop], str]] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Is: "is",
    ast.IsNot: "is not",
}
_ORDERINGS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_MEMBERSHIPS: Final = ("in", "not in")
_IDENTITIES: Final = ("is", "is not")


class FilterError(ValueError):
    """A filter that does not follow the grammar. `problems` holds one sentence for each fault, in order."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__(" ".join(problems))
        self.problems = problems


class FilterDataError(ValueError):
    """A row whose value a clause cannot be asked about."""


@dataclass(frozen=True, slots=True)
class Clause:
    """One comparison.

    Attributes:
        field: name of the row's field.
        operator: `==`, `!=`, `<`, `<=`, `>`, `>=`, `in` or `not in`.
        literal: right side; a set or a tuple has become a list.
        members: for membership in a list: keys of its items (see `equality_key`).
    """

    field: str
    operator: str
    literal: JsonValue
    members: frozenset[str] = frozenset()

    def holds(self, row: Mapping[str, Any]) -> bool:
        """Say whether a row satisfies the clause.

        Raises:
            FilterDataError: when the row's value cannot be ordered against the literal or looked for in it.
        """
        if self.field not in row:
            return False
        value = row[self.field]
        if self.operator == "==":
            return same_value(value, self.literal)
        if self.operator == "!=":
            return not same_value(value, self.literal)
        if self.operator in _MEMBERSHIPS:
            return self._contains(value) is (self.operator == "in")
        return self._ordered(value)

    def _contains(self, value: Any) -> bool:
        if not isinstance(self.literal, str):
            return equality_key(value) in self.members
        if not isinstance(value, str):
            raise FilterDataError(f"`{self.field}` holds {shown(value)}, which cannot be looked for in a text")
        return value in self.literal

    def _ordered(self, value: Any) -> bool:
        if _scale(value) is None or _scale(value) != _scale(self.literal):
            raise FilterDataError(f"`{self.field}` holds {shown(value)}, which has no order with {shown(self.literal)}")
        return _ORDERINGS[self.operator](value, self.literal)


@dataclass(frozen=True, slots=True)
class Filter:
    """A parsed filter: all clauses must hold. Without clauses every row passes."""

    clauses: tuple[Clause, ...] = ()

    def matches(self, row: Mapping[str, Any]) -> bool:
        """Say whether a row passes.

        Raises:
            FilterDataError: as `Clause.holds`, from the first clause that does not simply fail.
        """
        return all(clause.holds(row) for clause in self.clauses)


def parse_filter(text: str) -> Filter:
    """Parse a filter; empty text passes every row.

    Raises:
        FilterError: when any part does not follow the grammar.
    """
    if not text:
        return Filter()
    try:
        tree = parse_expression(text)
    except NotALiteralError as error:
        raise FilterError((f"`{_cut(text)}` cannot be read: {error}.",)) from None
    parser = _Parser(text.strip())
    clauses = tuple(parser.clauses(tree))
    if parser.problems:
        raise FilterError(tuple(parser.problems))
    return Filter(clauses)


def _scale(value: Any) -> str | None:
    """Name the order that a value belongs to; None for values without one. Booleans are no numbers (ruling 3)."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "number"
    return "text" if isinstance(value, str) else None


def _cut(text: str, limit: int = 120) -> str:
    return text if len(text) <= limit else f"{text[: limit - 3]}..."


@dataclass(slots=True)
class _Parser:
    """Turns a tree into clauses and gathers what is wrong with it."""

    text: str
    problems: list[str] = field(default_factory=list)

    def clauses(self, node: ast.expr) -> Iterator[Clause]:
        """Yield the sound clauses of a tree in order."""
        if isinstance(node, ast.BoolOp):
            if isinstance(node.op, ast.Or):
                self._refuse(node, "only `and` joins clauses, not `or`")
            for part in node.values:
                yield from self.clauses(part)
        elif isinstance(node, ast.Compare) and len(node.ops) == 1:
            yield from self._comparison(node)
        elif isinstance(node, ast.Compare):
            self._refuse(node, "a chain of comparisons is not allowed; join two comparisons with `and`")
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            self._refuse(node, "`not` is not allowed before a clause; use `!=` or `not in`")
        else:
            self._refuse(node, "a clause is `field operator literal`")

    def _comparison(self, node: ast.Compare) -> Iterator[Clause]:
        symbol = _SYMBOLS[type(node.ops[0])]
        before = len(self.problems)
        if not isinstance(node.left, ast.Name):
            self._refuse(node, "the left side is not the plain name of a field")
        if symbol in _IDENTITIES:
            self._refuse(node, f"the operator `{symbol}` is not supported; use `{'==' if symbol == 'is' else '!='}`")
        literal = self._right_side(node, symbol)
        if len(self.problems) == before:
            members = frozenset(map(equality_key, literal)) if isinstance(literal, list) else frozenset()
            yield Clause(self._name(node.left), symbol, literal, members if symbol in _MEMBERSHIPS else frozenset())

    def _right_side(self, node: ast.Compare, symbol: str) -> JsonValue:
        """Read the literal and see whether it can stand right of its operator at all."""
        try:
            literal = literal_value(node.comparators[0], sets=symbol in _MEMBERSHIPS)
        except (NotALiteralError, NotJsonError) as error:
            self._refuse(node, f"the right side is not a literal that a row could hold: {error}")
            return None
        if symbol in _MEMBERSHIPS and not isinstance(literal, (list, str)):
            self._refuse(node, f"`{symbol}` needs a list or a text on its right side, not {shown(literal)}")
        if symbol in _ORDERINGS and _scale(literal) is None:
            self._refuse(node, f"nothing can be ordered against {shown(literal)}")
        return literal

    def _name(self, node: ast.expr) -> str:
        """Return a field's name as written: the parser changes the Unicode form of names, fixtures keep theirs."""
        written = None if self.text.isascii() else ast.get_source_segment(self.text, node)
        return written or ast.unparse(node)

    def _refuse(self, node: ast.expr, reason: str) -> None:
        clause = ast.get_source_segment(self.text, node) or self.text
        self.problems.append(f"`{_cut(clause)}`: {reason}.")
