"""Faults of tool definitions as findings, each at the exact node of `tools.json`, with the word that belongs there.

The files that people bring along were often written for another dialect: `dict` for `object`, `float` for `number`,
keywords that a lenient validator ignores. The fix names the right word wherever it can be known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol

from assay.findings import finding
from assay.findings.spelling import near_miss
from assay.schema.definition import definition_problems
from assay.schema.node_rules import SUPPORTED_KEYWORDS
from assay.schema.types import TYPE_NAMES
from assay.values import canonical_json, shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.findings import Finding, Place
    from assay.schema.node_rules import Problem
    from assay.values import JsonObject, JsonValue


class Anchored(Protocol):
    """A node of a file that knows where it and the nodes below it stand (`assay.pack.document.Anchor`)."""

    def place(self, *below: str | int) -> Place:
        """Return the place of a value at or below this node."""

    def key_place(self, *below: str | int) -> Place:
        """Return the place of a key at or below this node."""


class DefinedTool(Protocol):
    """What is needed of a tool (`assay.pack.model.Tool`)."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def definition(self) -> JsonObject:
        """Its entry in `tools.json`."""

    @property
    def at(self) -> Anchored:
        """Where the entry stands."""


_MAX_DETAIL: Final = 200

_TYPE_FOR: Final[Mapping[str, str]] = {
    "dict": "object",
    "dictionary": "object",
    "hash": "object",
    "hashmap": "object",
    "map": "object",
    "mapping": "object",
    "struct": "object",
    "decimal": "number",
    "double": "number",
    "float": "number",
    "num": "number",
    "numeric": "number",
    "int": "integer",
    "int32": "integer",
    "int64": "integer",
    "long": "integer",
    "char": "string",
    "str": "string",
    "text": "string",
    "date": "string",
    "datetime": "string",
    "bool": "boolean",
    "list": "array",
    "set": "array",
    "tuple": "array",
    "arraylist": "array",
    "nil": "null",
    "none": "null",
    "nonetype": "null",
}
_ANY_TYPE: Final = ("any", "mixed", "unknown")

_INSTEAD_OF: Final[Mapping[str, str]] = {
    "anyOf": "list the types in one `type`, or make it two parameters",
    "oneOf": "list the types in one `type`, or make it two parameters",
    "not": "say what is allowed with `enum`, `pattern` or bounds",
    "exclusiveMinimum": "use `minimum` (for integers: one more)",
    "exclusiveMaximum": "use `maximum` (for integers: one less)",
    "nullable": 'use a list: `"type": ["string", "null"]`',
    "optional": "leave the name out of `required`",
    "$comment": "use `description`",
}


def tool_findings(tool: DefinedTool) -> tuple[Finding, ...]:
    """Return one finding for each fault of a tool's definition (check 3)."""
    return definition_findings(tool.definition, at=tool.at, tool=tool.name)


def definition_findings(definition: Any, *, at: Anchored, tool: str | None = None) -> tuple[Finding, ...]:
    """Return one finding for each fault of an entry of `tools.json`, whatever the entry is.

    Args:
        definition: the entry.
        at: where it stands.
        tool: its name, if it has one.
    """
    found: list[Finding] = []
    for problem in definition_problems(definition):
        told = _told(problem, at, tool)
        repeats_root_type = problem.reason == "invalid_schema_type" and any(
            each.code == "parameters_type_not_object" and each.place == told.place for each in found
        )
        found.append(told.following(found[-1]) if repeats_root_type else told)
    return tuple(found)


def _told(problem: Problem, at: Anchored, tool: str | None) -> Finding:
    of_key = problem.reason == "unsupported_schema_keyword"
    place = at.key_place(*problem.node_path) if of_key else at.place(*problem.node_path)
    subject = "the entry" if tool is None else f"tool {tool}"
    where = "" if problem.path is None else f" at {problem.path}"
    facts = {name: _bounded(value) for name, value in problem.to_json().items() if name != "reason"}
    return finding(
        problem.reason,
        f"{subject}{where}: {_message(problem)}",
        at=place,
        fix=_fix(problem),
        tool=tool,
        detail=facts or None,
    )


def _bounded(value: JsonValue) -> JsonValue:
    return value if len(canonical_json(value)) <= _MAX_DETAIL else shown(value, _MAX_DETAIL)


def _message(problem: Problem) -> str:
    facts = {name: shown(value) for name, value in problem.extras.items()}
    names = {name: value for name, value in problem.extras.items() if isinstance(value, str)}
    return _MESSAGES[problem.reason].format_map({**facts, **{f"{name}_name": value for name, value in names.items()}})


def _fix(problem: Problem) -> str | None:
    """Return a fix that names the right word; None where the code's own fix says it all."""
    value = problem.extras.get("value")
    if problem.reason == "invalid_schema_type":
        return _fix_of_type(value)
    if problem.reason == "parameters_type_not_object":
        return 'Write `"type": "object"`.'
    if problem.reason == "unsupported_schema_keyword":
        return _fix_of_keyword(str(problem.extras["keyword"]))
    return None


def _fix_of_type(value: JsonValue) -> str | None:
    if isinstance(value, str):
        if value.casefold() in _ANY_TYPE:
            return "Leave `type` out: without it every value is allowed."
        meant = _type_meant(value)
        return None if meant is None else f'Write `"type": "{meant}"`.'
    if isinstance(value, list) and value and all(isinstance(name, str) for name in value):
        meant_names = [_type_meant(str(name)) for name in value]
        if all(meant_names):
            return f'Write `"type": {canonical_json(meant_names)}`.'
    return None


def _type_meant(name: str) -> str | None:
    return _TYPE_FOR.get(name.strip().casefold()) or near_miss(name, TYPE_NAMES)


def _fix_of_keyword(keyword: str) -> str | None:
    if keyword in _INSTEAD_OF:
        return f"Remove it; {_INSTEAD_OF[keyword]}."
    meant = near_miss(keyword, SUPPORTED_KEYWORDS)
    return None if meant is None else f"Write `{meant}`."


_MESSAGES: Final[Mapping[str, str]] = {
    "tool_not_object": "it is not an object",
    "tool_type_not_function": '`type` is {value}, not "function"',
    "tool_function_not_object": "`function` is missing or not an object",
    "tool_name_not_nonempty_string": "`name` is missing, blank or not a text",
    "tool_description_not_string": "`description` is not a text",
    "tool_strict_not_boolean": "`strict` is neither true nor false",
    "parameters_not_object": "`parameters` is missing or not an object",
    "parameters_type_not_object": 'the parameters\' `type` is {value}, not "object"',
    "unsupported_schema_keyword": "the schema subset has no keyword {keyword}",
    "invalid_schema_type": "{value} is not a JSON-Schema type",
    "duplicate_schema_type": "`type` lists a name twice: {values}",
    "schema_enum_not_array": "`enum` is {value}, not a list",
    "schema_enum_empty": "`enum` is empty, so no value is allowed",
    "duplicate_schema_enum_value": "`enum` repeats {values}",
    "schema_value_violates_type": "the {keyword_name} value {value} is not of the declared type",
    "invalid_schema_default": "the default breaks the schema it stands in ({failure_name} at {argument_name})",
    "schema_additional_properties_not_boolean": "`additionalProperties` is {value}, neither true nor false",
    "invalid_schema_bound": "`{keyword_name}` is {value}, which is no bound",
    "schema_pattern_not_string": "`pattern` is {value}, not a text",
    "invalid_schema_pattern": "the pattern {value} cannot be used: {detail_name}",
    "inconsistent_schema_bounds": "the lower bound {lower} is above the upper bound {upper}",
    "schema_ref_not_local": "`$ref` is {value}, which is no reference into the same schema",
    "cyclic_schema_ref": "the reference {reference} comes back to itself without going through a property or an item",
    "unresolvable_schema_ref": "the reference {reference} leads to no schema",
    "schema_all_of_not_nonempty_array": "`allOf` is {value}, not a non-empty list",
    "all_of_schema_not_object": "an `allOf` branch is not an object",
    "schema_definitions_not_object": "`{keyword_name}` is not an object",
    "definition_schema_not_object": "a definition under `{keyword_name}` is not an object",
    "schema_properties_not_object": "`properties` is {value}, not an object",
    "schema_required_not_string_array": "`required` is {value}, not a list of names",
    "duplicate_required_property": "`required` repeats {values}",
    "required_property_not_declared": "`required` names {property}, which is not among the properties beside it",
    "property_schema_not_object": "the schema of property {property} is not an object",
    "items_schema_not_object": "`items` is not one schema object",
    "schema_too_deep": "its schemas are nested deeper than people or models can follow",
}
