"""Reading a pack's Python files as text, never by running them.

A file that Python itself cannot parse is none of this module's business (importing it is a finding elsewhere): it reads
as None. Parsing hostile text is bounded by the size of the file, which the loader bounds; the parser's own refusals of
deep nesting are caught.
"""

from __future__ import annotations

import ast
import warnings
from typing import TYPE_CHECKING, TypeAlias

from assay.findings import Place

if TYPE_CHECKING:
    from pathlib import Path

Definition: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef"


def parse_python(root: Path, file: str | None) -> ast.Module | None:
    """Return the syntax tree of a pack file; None when there is no such file or Python cannot parse it."""
    if file is None:
        return None
    try:
        source = (root / file).read_bytes()
    except FileNotFoundError:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an odd escape sequence in a pack is not ours to announce
        try:
            return ast.parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def definition_of(module: ast.Module | None, name: str) -> Definition | None:
    """Return the last top-level function or class of that name, which is the one that Python would use."""
    definitions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    body = [] if module is None else module.body
    return next((each for each in reversed(body) if isinstance(each, definitions) and each.name == name), None)


def place_of(file: str, node: ast.stmt | ast.expr | None) -> Place:
    """Return the place of a node, or the top of the file without one."""
    return Place(file) if node is None else Place(file, node.lineno, node.col_offset + 1)
