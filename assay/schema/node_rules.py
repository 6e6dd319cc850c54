"""What is asked of one node of a parameter schema, keyword by keyword.

Each rule looks at a node by itself and yields its problems; `assay.schema.definition` walks from node to node. Order
and reasons are those of `reference/loading.md` 4.3.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from assay.schema.arguments import SCHEMA_REASONS, find_value_problems
from assay.schema.patterns import pattern_fault
from assay.schema.references import is_local, resolve
from assay.schema.types import has_type, type_names
from assay.values import equality_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from assay.values import JsonObject, JsonPath, JsonValue, PathStep

_BRANCHING: Final = ("anyOf", "not", "oneOf")
_COUNT_BOUNDS: Final = ("minLength", "maxLength", "minItems", "maxItems")
_BOUND_PAIRS: Final = (("minLength", "maxLength"), ("minItems", "maxItems"), ("minimum", "maximum"))

SUPPORTED_KEYWORDS: Final = (
    "$defs",
    "$ref",
    "additionalProperties",
    "allOf",
    "const",
    "default",
    "definitions",
    "deprecated",
    "description",
    "enum",
    "examples",
    "format",
    "items",
    "maxItems",
    "maxLength",
    "maximum",
    "minItems",
    "minLength",
    "minimum",
    "pattern",
    "properties",
    "readOnly",
    "required",
    "title",
    "type",
    "writeOnly",
)


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault of a tool definition.

    Attributes:
        reason: the contract's reason code.
        path: where in the parameter schema, as the contract writes it (`$.addr.city`, `$.ids[]`); None outside it.
        node_path: keys and indices from the top of the tool definition to the node.
        extras: further facts, such as `keyword` and `value`.
    """

    reason: str
    path: str | None = None
    node_path: JsonPath = ()
    extras: Mapping[str, JsonValue] = field(default_factory=dict)

    def to_json(self) -> JsonObject:
        """Return the failure record of the contract."""
        where = {} if self.path is None else {"path": self.path}
        return {"reason": self.reason, **where, **self.extras}


@dataclass(frozen=True, slots=True)
class Node:
    """One schema node: itself, its path as written, its path from the root of the parameter schema."""

    schema: JsonObject
    path: str
    steps: JsonPath
    depth: int

    def problem(self, reason: str, *below: PathStep, **extras: Any) -> Problem:
        """Return a problem of this node, at the node itself or below it."""
        return Problem(reason, self.path, (*self.steps, *below), extras)

    def child(self, schema: JsonObject, path: str, *below: PathStep) -> Node:
        """Return a node below this one."""
        return Node(schema, self.path + path, (*self.steps, *below), self.depth + 1)


def _keywords(node: Node, _root: JsonObject) -> Iterator[Problem]:
    unknown = sorted(keyword for keyword in node.schema if keyword not in SUPPORTED_KEYWORDS)
    branching = [keyword for keyword in unknown if keyword in _BRANCHING]
    for keyword in (*branching, *(each for each in unknown if each not in branching)):
        yield node.problem("unsupported_schema_keyword", keyword, keyword=keyword)


def _type(node: Node, _root: JsonObject) -> Iterator[Problem]:
    if "type" not in node.schema:
        return
    names = type_names(node.schema["type"])
    if names is None:
        yield node.problem("invalid_schema_type", "type", value=node.schema["type"])
    elif len(set(names)) < len(names):
        yield node.problem("duplicate_schema_type", "type", values=node.schema["type"])


def _enum(node: Node, _root: JsonObject) -> Iterator[Problem]:
    if "enum" not in node.schema:
        return
    members = node.schema["enum"]
    if not isinstance(members, list):
        yield node.problem("schema_enum_not_array", "enum", value=members)
    elif not members:
        yield node.problem("schema_enum_empty", "enum")
    else:
        repeated = _repeated(members)
        if repeated:
            values = [members[index] for index in repeated]
            yield node.problem("duplicate_schema_enum_value", "enum", repeated[0], values=values)


def _repeated(members: list[JsonValue]) -> list[int]:
    """Return the indices of members that equal an earlier one."""
    seen: set[str] = set()
    repeated = []
    for index, member in enumerate(members):
        key = equality_key(member)
        if key in seen:
            repeated.append(index)
        seen.add(key)
    return repeated


def _values_fit_type(node: Node, _root: JsonObject) -> Iterator[Problem]:
    names = type_names(node.schema.get("type"))
    if names is None:
        return
    members = node.schema.get("enum")
    for index, member in enumerate(members if isinstance(members, list) else ()):
        if not any(has_type(member, name) for name in names):
            yield node.problem("schema_value_violates_type", "enum", index, keyword="enum", value=member)
    constant = node.schema.get("const")
    if "const" in node.schema and not any(has_type(constant, name) for name in names):
        yield node.problem("schema_value_violates_type", "const", keyword="const", value=constant)


def _default(node: Node, root: JsonObject) -> Iterator[Problem]:
    if "default" not in node.schema:
        return
    for fault in find_value_problems(node.schema, node.schema["default"], root=root):
        if fault.reason not in SCHEMA_REASONS:
            failure = {"failure": fault.reason, "argument": fault.argument}
            yield node.problem("invalid_schema_default", "default", *fault.path, **failure)


def _additional_properties(node: Node, _root: JsonObject) -> Iterator[Problem]:
    allowed = node.schema.get("additionalProperties", False)
    if not isinstance(allowed, bool):
        yield node.problem("schema_additional_properties_not_boolean", "additionalProperties", value=allowed)


def _bounds(node: Node, _root: JsonObject) -> Iterator[Problem]:
    for keyword in (*_COUNT_BOUNDS, "minimum", "maximum"):
        if node.schema.get(keyword) is not None and not _is_bound(keyword, node.schema[keyword]):
            yield node.problem("invalid_schema_bound", keyword, keyword=keyword, value=node.schema[keyword])


def _is_bound(keyword: str, value: Any) -> bool:
    if keyword in _COUNT_BOUNDS:
        return has_type(value, "integer") and value >= 0
    return has_type(value, "number")


def _pattern(node: Node, _root: JsonObject) -> Iterator[Problem]:
    if "pattern" not in node.schema:
        return
    pattern = node.schema["pattern"]
    if not isinstance(pattern, str):
        yield node.problem("schema_pattern_not_string", "pattern", value=pattern)
        return
    fault = pattern_fault(pattern)
    if fault is not None:
        yield node.problem("invalid_schema_pattern", "pattern", value=pattern, detail=fault)


def _crossed_bounds(node: Node, _root: JsonObject) -> Iterator[Problem]:
    for low, high in _BOUND_PAIRS:
        lower, upper = node.schema.get(low), node.schema.get(high)
        if _is_bound(low, lower) and _is_bound(high, upper) and lower > upper:  # type: ignore[operator]
            yield node.problem("inconsistent_schema_bounds", low, lower=lower, upper=upper, keyword=low)


def _reference(node: Node, root: JsonObject) -> Iterator[Problem]:
    reference = node.schema.get("$ref")
    if reference is None:
        return
    if not is_local(reference):
        yield node.problem("schema_ref_not_local", "$ref", value=reference)
    elif resolve(root, reference) is None:
        yield node.problem("unresolvable_schema_ref", "$ref", reference=reference)


def _branches(node: Node, _root: JsonObject) -> Iterator[Problem]:
    branches = node.schema.get("allOf")
    if branches is not None and (not isinstance(branches, list) or not branches):
        yield node.problem("schema_all_of_not_nonempty_array", "allOf", value=branches)


NODE_RULES: Final[tuple[Callable[[Node, JsonObject], Iterator[Problem]], ...]] = (
    _keywords,
    _type,
    _enum,
    _values_fit_type,
    _default,
    _additional_properties,
    _bounds,
    _pattern,
    _crossed_bounds,
    _reference,
    _branches,
)
"""What is asked of each node before its sub-schemas are walked, in the contract's order."""


def properties_and_required(node: Node) -> Iterator[Problem]:
    """Yield what is wrong with `properties` and `required` as such; asked after references, branches, definitions."""
    properties = node.schema.get("properties")
    if properties is not None and not isinstance(properties, dict):
        yield node.problem("schema_properties_not_object", "properties", value=properties)
    required = node.schema.get("required")
    if not required:
        return
    if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
        yield node.problem("schema_required_not_string_array", "required", value=required)
        return
    repeated = _repeated(required)
    if repeated:
        values = [required[index] for index in repeated]
        yield node.problem("duplicate_required_property", "required", repeated[0], values=values)
    declared = properties if isinstance(properties, dict) else {}
    first = {name: index for index, name in reversed([*enumerate(required)])}
    for name in dict.fromkeys(required):
        if name not in declared:
            yield node.problem("required_property_not_declared", "required", first[name], property=name)
