"""Python literals as pack authors write them, read as JSON values.

Filters and the sources `literal` and `range` speak this small language (`reference/bind-plan-render.md` 1.1 and 1.2).
Text is parsed by Python's own parser in expression mode and the tree is read here, never evaluated. Only values that
JSON can carry come out: tuples become lists, and sets, bytes, complex numbers, infinities and unpaired surrogates are
refused with a reason instead of failing later, when an id is derived from them.
"""

from __future__ import annotations

import ast
import math
import warnings
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from assay.values import JsonValue

MAX_CHARACTERS: Final = 32_768
"""Length of one literal or filter."""

MAX_DEPTH: Final = 50
"""Lists and mappings within one another."""

MAX_BITS: Final = 1_000
"""Size of an integer, in line with the bound on numbers in files (300 digits)."""


class NotALiteralError(ValueError):
    """The text is no Python literal. The text of the error says what it is instead."""


class NotJsonError(ValueError):
    """A Python literal whose value JSON cannot carry. The text of the error says which and why."""


def parse_expression(text: str) -> ast.expr:
    """Parse one Python expression.

    Raises:
        NotALiteralError: when it is not an expression, or larger or deeper than the parser takes.
    """
    if len(text) > MAX_CHARACTERS:
        raise NotALiteralError(f"{len(text)} characters are more than the {MAX_CHARACTERS} allowed")
    try:
        # The parser warns about odd but legal spellings (an unknown escape); the value that results is what counts.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text.strip(), mode="eval").body
    except SyntaxError as error:
        raise NotALiteralError(f"{error.msg} at character {error.offset or 1}") from None
    except (MemoryError, RecursionError):
        raise NotALiteralError("it is nested too deeply") from None
    except ValueError:
        raise NotALiteralError("it holds a character that no expression may hold") from None


def parse_literal(text: str) -> JsonValue:
    """Return the value of one Python literal.

    Raises:
        NotALiteralError: when the text is no literal.
        NotJsonError: when JSON cannot carry its value.
    """
    return literal_value(parse_expression(text))


def literal_value(node: ast.expr, *, sets: bool = False, depth: int = 0) -> JsonValue:
    """Return the value of a literal's tree.

    Args:
        node: the tree.
        sets: read sets as lists instead of refusing them; only where nothing but membership is asked.
        depth: containers around the node.

    Raises:
        NotALiteralError: for anything but a literal.
        NotJsonError: when JSON cannot carry the value.
    """
    if depth > MAX_DEPTH:
        raise NotJsonError(f"lists and mappings are nested more than {MAX_DEPTH} deep")
    if isinstance(node, ast.Constant):
        return _constant(node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.UAdd, ast.USub)):
        return _signed(node)
    if isinstance(node, (ast.List, ast.Tuple)):
        return [literal_value(item, depth=depth + 1) for item in node.elts]
    if isinstance(node, ast.Dict):
        return _mapping(node, depth)
    return _other(node, sets=sets, depth=depth)


def _constant(value: Any) -> JsonValue:
    if isinstance(value, (bytes, complex)) or value is ...:
        raise NotJsonError(f"{value!r} is a Python {type(value).__name__}, which JSON does not have")
    if isinstance(value, float) and not math.isfinite(value):
        raise NotJsonError("the number is too large for a float")
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        raise NotJsonError(f"the integer has more than {MAX_BITS} bits")
    if isinstance(value, str) and not is_unicode(value):
        raise NotJsonError(f"{value!a} holds an unpaired surrogate, which is no character")
    json_value: JsonValue = value
    return json_value


def is_unicode(text: str) -> bool:
    """Say whether UTF-8 can carry a text: it holds no unpaired surrogate."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _signed(node: ast.UnaryOp) -> JsonValue:
    number = _constant(node.operand.value) if isinstance(node.operand, ast.Constant) else None
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        raise NotALiteralError("a sign stands before something that is no number")
    return -number if isinstance(node.op, ast.USub) else number


def _mapping(node: ast.Dict, depth: int) -> JsonValue:
    result: dict[str, JsonValue] = {}
    for key_node, value_node in zip(node.keys, node.values, strict=True):
        if key_node is None:
            raise NotALiteralError("`**` is no literal")
        key = literal_value(key_node, depth=depth + 1)
        if not isinstance(key, str):
            raise NotJsonError(f"the mapping key {ast.unparse(key_node)} is no text")
        result[key] = literal_value(value_node, depth=depth + 1)
    return result


def _other(node: ast.expr, *, sets: bool, depth: int) -> JsonValue:
    """Read what Python calls a literal and JSON does not have; refuse everything else."""
    if isinstance(node, ast.Set):
        items = [literal_value(item, depth=depth + 1) for item in node.elts]
    elif _is_empty_set(node):
        items = []
    elif _is_complex(node):
        raise NotJsonError(f"{ast.unparse(node)} is a Python complex, which JSON does not have")
    elif isinstance(node, ast.Name):
        raise NotALiteralError(f"the name `{node.id}` is no literal; text is written in quotes")
    else:
        raise NotALiteralError("it is no literal")
    if not sets:
        raise NotJsonError("it is a Python set, which JSON does not have")
    return items


def _is_empty_set(node: ast.expr) -> bool:
    if not isinstance(node, ast.Call) or node.args or node.keywords:
        return False
    return isinstance(node.func, ast.Name) and node.func.id == "set"


def _is_complex(node: ast.expr) -> bool:
    """Say whether this is `1+2j`, the one sum that Python reads as a literal."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, (ast.Add, ast.Sub)):
        return False
    return isinstance(node.right, ast.Constant) and isinstance(node.right.value, complex)
