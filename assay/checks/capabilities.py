"""`ASSERTION_CAPABILITIES`, read from the text of assertions.py and never by running it.

The mapping must be a literal assigned at the top level; of several assignments the last counts, as in Python. A mapping
that is computed, built up later, or bound in any other way is a fault: scorers read it without running the module.

Sources: the seed on assertions; `reference/loading.md` 7.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from assay.findings import Finding, finding
from assay.findings.spelling import did_you_mean
from assay.stages.python_source import place_of
from assay.values import storable

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

NAME: Final = "ASSERTION_CAPABILITIES"
CATEGORIES: Final = ("state", "path", "result", "final_answer", "unclassified")
_FLAGS: Final = ("trace", "executable")
_FIELDS: Final = (*_FLAGS, "category")
_CHANGING: Final = frozenset({"update", "setdefault", "pop", "popitem", "clear", "__setitem__", "__delitem__"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Capability:
    """What one assertion declares about itself; the defaults are the contract's."""

    trace: bool = False
    executable: bool = True
    category: str = "unclassified"


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """All declarations of a module.

    Attributes:
        declared: assertion -> its declaration; None when its entry is faulty.
        readable: whether the mapping as a whole could be read.
        findings: what is wrong, each at its key or value.
    """

    declared: Mapping[str, Capability | None] = field(default_factory=dict)
    readable: bool = True
    findings: tuple[Finding, ...] = ()

    def of(self, assertion: str) -> Capability | None:
        """Return what holds for an assertion: its declaration, else the defaults; None when that cannot be said."""
        return self.declared.get(assertion, Capability()) if self.readable else None


def read_capabilities(module: ast.Module, file: str, exported: Collection[str], *, bound: bool) -> Capabilities:
    """Read the declarations of a module.

    Args:
        module: the syntax tree of assertions.py.
        file: its path, for places.
        exported: names of the assertions that the module exports.
        bound: whether the imported module has the name; a name that only running the module binds is computed.
    """
    return _Reader(file, exported).read(module, bound=bound)


class _Reader:
    def __init__(self, file: str, exported: Collection[str]) -> None:
        self._file = file
        self._exported = exported
        self._findings: list[Finding] = []

    def read(self, module: ast.Module, *, bound: bool) -> Capabilities:
        statements = [node for node in module.body if NAME in _names_touched(node)]
        others = [each for each in statements if _assigned(each) is None]
        value = _assigned(statements[-1]) if statements and not others else None
        if isinstance(value, ast.Dict):
            return self._entries(value)
        if value is not None:
            kind = "not a mapping" if _is_literal(value) else "computed, not a literal mapping"
            self._add(f"{NAME} is {kind}.", value)
        elif others:
            self._add(
                f"{NAME} is computed: it must be one assignment of a literal mapping and nothing more", others[-1]
            )
        elif bound:
            self._add(f"{NAME} is computed, not a literal mapping in the module's text.", None)
        return Capabilities(readable=not self._findings, findings=tuple(self._findings))

    def _entries(self, mapping: ast.Dict) -> Capabilities:
        declared: dict[str, Capability | None] = {}
        for key, value in _last_of_each(mapping):
            before = len(self._findings)
            name = self._name(key, value)
            if name is not None:
                capability = self._capability(name, value)
                declared[name] = capability if len(self._findings) == before else None
        return Capabilities(declared=declared, findings=tuple(self._findings))

    def _name(self, key: ast.expr | None, value: ast.expr) -> str | None:
        if key is None:
            self._add(f"{NAME} is computed: `**` does not stand in a literal mapping.", value)
            return None
        name = _constant(key)
        if not isinstance(name, str):
            self._add(f"{NAME} has a key that is not the name of an assertion as text.", key)
            return None
        if name not in self._exported:
            hint = did_you_mean(name, self._exported)
            self._add(f"{NAME} names `{name}`, which the module does not export.{hint}", key, name)
        return name

    def _capability(self, name: str, value: ast.expr) -> Capability:
        if not isinstance(value, ast.Dict):
            self._add(f"The capabilities of `{name}` are {_said(value)}, not a literal mapping.", value, name)
            return Capability()
        fields = {}
        for key, given in _last_of_each(value):
            field_name = None if key is None else _constant(key)
            if field_name in _FIELDS:
                fields[str(field_name)] = self._field(name, str(field_name), given)
            else:
                self._unknown_field(name, key or given, field_name)
        return Capability(**{each: said for each, said in fields.items() if said is not None})

    def _unknown_field(self, name: str, at: ast.expr, field_name: Any) -> None:
        hint = did_you_mean(field_name, _FIELDS) if isinstance(field_name, str) else ""
        known = ", ".join(_FIELDS)
        self._add(f"The capabilities of `{name}` have the field {_said(at)}; known are {known}.{hint}", at, name)

    def _field(self, name: str, field_name: str, given: ast.expr) -> Any:
        """Return the value of a field, or None when it is not a literal of the right kind."""
        said = _constant(given)
        if field_name in _FLAGS and isinstance(said, bool):
            return said
        if field_name == "category" and isinstance(said, str) and said in CATEGORIES:
            return said
        wanted = "True or False" if field_name in _FLAGS else f"one of {', '.join(CATEGORIES)}"
        self._add(f"The field `{field_name}` of `{name}` is {_said(given)}; it must be {wanted}.", given, name)
        return None

    def _add(self, message: str, at: ast.expr | ast.stmt | None, assertion: str | None = None) -> None:
        place = place_of(self._file, at)
        named = None if assertion is None else storable(assertion)
        self._findings.append(finding("invalid_assertion_capability", storable(message), at=place, assertion=named))


def _names_touched(statement: ast.stmt) -> Iterator[str]:
    """Yield the names that a top-level statement binds, deletes or may change in place.

    Inside functions nothing counts: whether they are called at all is for running the module to say.
    """
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield statement.name
        return
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
            yield node.id
        elif isinstance(node, ast.alias):
            yield node.asname or node.name
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, (ast.Store, ast.Del)):
            yield from _base(node.value)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _CHANGING:
            yield from _base(node.func.value)


def _base(node: ast.expr) -> Iterator[str]:
    """Yield the name at the root of `name[...].attribute...`."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    if isinstance(node, ast.Name):
        yield node.id


def _assigned(statement: ast.stmt) -> ast.expr | None:
    """Return the value of `ASSERTION_CAPABILITIES = value` (or its annotated form); None for any other statement."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target, value = statement.targets[0], statement.value
    elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
        target, value = statement.target, statement.value
    else:
        return None
    return value if isinstance(target, ast.Name) and target.id == NAME else None


def _last_of_each(mapping: ast.Dict) -> list[tuple[ast.expr | None, ast.expr]]:
    """Return the entries of a mapping; of a repeated constant key only the last, as in Python."""
    last: dict[Any, tuple[ast.expr | None, ast.expr]] = {}
    for position, (key, value) in enumerate(zip(mapping.keys, mapping.values, strict=True)):
        constant = None if key is None else _constant(key)
        last[constant if isinstance(constant, str) else position] = (key, value)
    return list(last.values())


def _constant(node: ast.expr) -> Any:
    """Return the value of a constant; None for anything else (None itself is of no use anywhere here)."""
    return node.value if isinstance(node, ast.Constant) else None


def _said(node: ast.expr) -> str:
    """Write what stands at a node, for a message; whatever is no constant is only named by its kind."""
    if isinstance(node, ast.Constant):
        return repr(node.value)[:80]
    return f"a {type(node).__name__} literal" if _is_literal(node) else "computed"


def _is_literal(node: ast.expr) -> bool:
    """Say whether a value stands in the text as it is."""
    literal = (ast.Constant, ast.List, ast.Tuple, ast.Set, ast.Dict, ast.UnaryOp, ast.expr_context, ast.unaryop)
    return all(isinstance(each, literal) for each in ast.walk(node))
