"""Whether a negative-path task shows that anything was refused (ruling 33).

A result shows it when it is a structured error or a pending answer, or when one of its fields is pinned: a probe of the
same tool expects the very value there, or an assertion of the template names both the field and the value. A probe that
shows its tool at work (`result_class: success` and not `coverage: negative`) pins nothing. Assertions are read as text:
the constants of the function and of the module-level names it uses, followed as far as they go. A value that the call
itself sent in is pinned by nothing, since it would be echoed by a success as well.
"""

from __future__ import annotations

import ast
from functools import cached_property
from typing import TYPE_CHECKING, Any

from assay.stages.python_source import definition_of, parse_python
from assay.stages.results import NAMED_EXPECTATIONS, ResultClass, classify
from assay.values import same_value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.pack.model import Pack, Template
    from assay.stages.records import Replay, ReplayedCall
    from assay.values import JsonObject, JsonValue

_SHOWN_BY_CLASS = frozenset({ResultClass.STRUCTURED_ERROR, ResultClass.AWAITING_CONFIRMATION})


class Rejections:
    """The rule, for one pack."""

    def __init__(self, pack: Pack) -> None:
        self._pack = pack
        self._constants: dict[str, frozenset[Any]] = {}

    def shown_by(self, replay: Replay, template: Template) -> bool:
        """Say whether any result of a replay shows a rejection."""
        return any(self._shows(call, template) for call in replay.calls)

    def _shows(self, call: ReplayedCall, template: Template) -> bool:
        if classify(call.result, self._pack.manifest.confirmation) in _SHOWN_BY_CLASS:
            return True
        if not isinstance(call.result, dict):
            return False
        return any(
            self._pinned_by_probe(call.tool, name, value) or self._pinned_by_assertion(template, name, value)
            for name, value in _own_fields(call.result, call.arguments)
        )

    def _pinned_by_probe(self, tool: str, name: str, value: JsonValue) -> bool:
        return name not in NAMED_EXPECTATIONS and any(
            case.tool == tool and name in case.expect and same_value(case.expect[name], value)
            for case in self._pack.cases
            if case.coverage == "negative" or case.expect.get("result_class") != ResultClass.SUCCESS
        )

    def _pinned_by_assertion(self, template: Template, name: str, value: JsonValue) -> bool:
        if value is None or isinstance(value, (dict, list)):
            return False
        wanted = {_typed(name), _typed(value)}
        return any(wanted <= self._constants_of(assertion) for assertion in template.success_assertions)

    @cached_property
    def _module(self) -> ast.Module | None:
        return parse_python(self._pack.root, self._pack.paths.assertions)

    def _constants_of(self, assertion: str) -> frozenset[Any]:
        if assertion not in self._constants:
            nodes = _nodes_of(self._module, assertion) if self._module is not None else ()
            constants = (node.value for node in nodes if isinstance(node, ast.Constant))
            self._constants[assertion] = frozenset(_typed(each) for each in constants)
        return self._constants[assertion]


def _own_fields(result: JsonObject, arguments: JsonObject) -> Iterator[tuple[str, JsonValue]]:
    """Yield the fields of a result that do not merely repeat an argument."""
    for name, value in result.items():
        if not any(same_value(value, sent) for sent in arguments.values()):
            yield name, value


def _typed(value: Any) -> tuple[str, Any]:
    """Keep `1`, `1.0` and `True` apart, as the text of an assertion does."""
    return (type(value).__name__, value)


def _nodes_of(module: ast.Module, assertion: str) -> Iterator[ast.AST]:
    """Yield all nodes of an assertion and of the top-level names it uses; of the whole module if it is not found there.

    `ASSERTIONS = {"name": function}` may export a function under another name; then the whole module is looked at.
    """
    start = definition_of(module, assertion)
    if start is None:
        yield from ast.walk(module)
        return
    waiting: list[ast.AST] = [start]
    seen = {assertion}
    while waiting:
        for node in ast.walk(waiting.pop()):
            yield node
            if isinstance(node, ast.Name) and node.id not in seen:
                seen.add(node.id)
                waiting.extend(_bound_at_top(module, node.id))


def _bound_at_top(module: ast.Module, name: str) -> Iterator[ast.AST]:
    """Yield the top-level statements that give a name its meaning."""
    definition = definition_of(module, name)
    if definition is not None:
        yield definition
    for statement in module.body:
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            yield statement
