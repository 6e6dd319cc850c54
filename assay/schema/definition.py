"""Whether a tool definition stays within the subset of JSON Schema that the contract knows.

Everything that is wrong is found in one walk, in the contract's order: first the definition itself, then its parameter
schema node by node, and at each node keyword by keyword (`reference/loading.md` 4.1-4.3). Each node is looked at once,
however many references lead to it. Any JSON value may stand at any node.

Where we part from the reference: a schema may refer to one of its ancestors as long as every round goes through a
property or an array item, so that it ends with the data (ruling 27). `cyclic_schema_ref` is left for rounds that go
through `$ref` and `allOf` alone.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, Final

from assay.schema.cycles import cycles
from assay.schema.node_rules import NODE_RULES, Node, Problem, properties_and_required
from assay.schema.references import resolve

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.values import JsonObject, JsonPath


MAX_DEPTH: Final = 100
"""Schemas within one another, and references after one another; documents are read no deeper than that."""


def definition_problems(definition: Any) -> tuple[Problem, ...]:
    """Return everything that is wrong with one entry of `tools.json`, in the contract's order."""
    if not isinstance(definition, dict):
        return (Problem("tool_not_object"),)
    problems = []
    if definition.get("type", "function") != "function":
        problems.append(Problem("tool_type_not_function", None, ("type",), {"value": definition["type"]}))
    function = definition.get("function")
    if not isinstance(function, dict):
        return (*problems, Problem("tool_function_not_object", None, ("function",)))
    return (*problems, *_function_problems(function))


def _function_problems(function: JsonObject) -> Iterator[Problem]:
    name = function.get("name")
    if not isinstance(name, str) or not name.strip():
        yield Problem("tool_name_not_nonempty_string", None, ("function", "name"))
    if not isinstance(function.get("description", ""), str):
        yield Problem("tool_description_not_string", None, ("function", "description"))
    if not isinstance(function.get("strict", False), bool):
        yield Problem("tool_strict_not_boolean", None, ("function", "strict"))
    parameters = function.get("parameters")
    if not isinstance(parameters, dict):
        yield Problem("parameters_not_object", None, ("function", "parameters"))
        return
    if parameters.get("type", "object") != "object":
        value = parameters["type"]
        yield Problem("parameters_type_not_object", "$", ("function", "parameters", "type"), {"value": value})
    yield from _Survey(parameters, ("function", "parameters")).problems()


class _Survey:
    """One walk over a parameter schema."""

    def __init__(self, root: JsonObject, base: JsonPath) -> None:
        self._root = root
        self._base = base
        self._nodes: dict[JsonPath, Node] = {}
        self._edges: dict[JsonPath, list[JsonPath]] = {}
        self._pending: deque[Node] = deque()
        self._found: list[Problem] = []

    def problems(self) -> list[Problem]:
        """Walk everything; references to places outside the schema's own structure come last."""
        self._visit(Node(self._root, "$", (), 0))
        while self._pending:
            self._visit(self._pending.popleft())
        self._find_cycles()
        return [Problem(each.reason, each.path, self._base + each.node_path, each.extras) for each in self._found]

    def _visit(self, node: Node) -> None:
        if node.steps in self._nodes:
            return
        self._nodes[node.steps] = node
        if node.depth > MAX_DEPTH:
            self._found.append(node.problem("schema_too_deep"))
            return
        for rule in NODE_RULES:
            self._found.extend(rule(node, self._root))
        self._note_reference(node)
        self._visit_branches(node)
        self._visit_definitions(node)
        self._visit_properties(node)

    def _note_reference(self, node: Node) -> None:
        target = resolve(self._root, node.schema.get("$ref"))
        if target is not None:
            self._edges.setdefault(node.steps, []).append(target.path)
            path = f"{node.path}->{node.schema['$ref']}"
            self._pending.append(Node(target.schema, path, target.path, node.depth + 1))

    def _visit_branches(self, node: Node) -> None:
        branches = node.schema.get("allOf")
        for index, branch in enumerate(branches if isinstance(branches, list) else ()):
            if isinstance(branch, dict):
                child = node.child(branch, f".allOf[{index}]", "allOf", index)
                self._edges.setdefault(node.steps, []).append(child.steps)
                self._visit(child)
            else:
                self._found.append(node.problem("all_of_schema_not_object", "allOf", index))

    def _visit_definitions(self, node: Node) -> None:
        for keyword in ("$defs", "definitions"):
            definitions = node.schema.get(keyword)
            if definitions is not None and not isinstance(definitions, dict):
                self._found.append(node.problem("schema_definitions_not_object", keyword, keyword=keyword))
            for name, schema in definitions.items() if isinstance(definitions, dict) else ():
                if isinstance(schema, dict):
                    self._visit(node.child(schema, f".{keyword}.{name}", keyword, name))
                else:
                    problem = node.problem("definition_schema_not_object", keyword, name, keyword=keyword)
                    self._found.append(problem)

    def _visit_properties(self, node: Node) -> None:
        self._found.extend(properties_and_required(node))
        properties = node.schema.get("properties")
        for name, schema in properties.items() if isinstance(properties, dict) else ():
            if isinstance(schema, dict):
                self._visit(node.child(schema, f".{name}", "properties", name))
            else:
                self._found.append(node.problem("property_schema_not_object", "properties", name, property=name))
        if "items" in node.schema:
            if isinstance(node.schema["items"], dict):
                self._visit(node.child(node.schema["items"], "[]", "items"))
            else:
                self._found.append(node.problem("items_schema_not_object", "items"))

    def _find_cycles(self) -> None:
        for cycle in cycles(self._edges):
            last = next(node for node in map(self._nodes.__getitem__, reversed(cycle)) if "$ref" in node.schema)
            self._found.append(last.problem("cyclic_schema_ref", "$ref", reference=last.schema["$ref"]))
