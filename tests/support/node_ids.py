"""Tests of this repository by their node ids, read from their files without importing them."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]


@cache
def module_of(file: str) -> ast.Module:
    """Return a test file, parsed.

    Raises:
        FileNotFoundError: when there is none.
    """
    return ast.parse((ROOT / file).read_text(encoding="utf-8"), filename=file)


def function_named(node_id: str) -> ast.FunctionDef | None:
    """Return the test function of `file::test_name` or `file::TestClass::test_name`; None when the file has none."""
    file, *names = node_id.split("::")
    if not (ROOT / file).is_file():
        return None
    node: ast.Module | ast.ClassDef | ast.FunctionDef = module_of(file)
    for name in names:
        inner = (each for each in node.body if isinstance(each, (ast.ClassDef, ast.FunctionDef)) and each.name == name)
        found = next(inner, None)
        if found is None:
            return None
        node = found
    return node if isinstance(node, ast.FunctionDef) else None


def texts_of(node_id: str) -> set[str]:
    """Return every text that a test, its decorators, and the module's constants and helpers that these name hold."""
    function = function_named(node_id)
    if function is None:
        return set()
    defined = _definitions(module_of(node_id.partition("::")[0]))
    seen: set[str] = set()
    waiting: list[ast.AST] = [function]
    texts: set[str] = set()
    while waiting:
        for node in ast.walk(waiting.pop()):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                texts.add(node.value)
            elif isinstance(node, ast.Name) and node.id in defined and node.id not in seen:
                seen.add(node.id)
                waiting.append(defined[node.id])
    return texts


def _definitions(module: ast.Module) -> dict[str, ast.AST]:
    """Return what a module defines at its top by name; of several the last."""
    found: dict[str, ast.AST] = {}
    for node in module.body:
        if isinstance(node, ast.Assign):
            found |= {target.id: node for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.FunctionDef) and not node.name.startswith("test"):
            found[node.name] = node
    return found
