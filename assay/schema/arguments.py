"""What a parameter schema says about arguments.

The meaning is that of JSON Schema draft 2020-12, narrowed by the contract (`reference/loading.md` 4.4,
`reference/trace-replay.md` 3.3): `1.0` is no integer, equality is `same_value`, a value of the wrong type is not looked
at any further, patterns are bounded. Tests hold this reading against the package `jsonschema`, keyword by keyword, on
generated schemas and values.

The walk is our own because the package's is not bounded: a schema that names one sub-schema twice at each level makes
it take exponential time. Here each pair of sub-schema and place in the arguments is looked at once, so the work is at
most size of the schema times size of the arguments, reference cycles end by themselves, and a valid call costs
microseconds.

A schema need not be within the subset: what is malformed in it is passed over (`definition_problems` tells it), save
where a value cannot be judged without it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from assay.schema.patterns import matches, pattern_fault
from assay.schema.references import resolve
from assay.schema.types import has_type, type_names, types_of
from assay.values import path_text, same_value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from assay.values import JsonObject, JsonPath, JsonValue

SCHEMA_REASONS: Final = frozenset({"unresolvable_schema_ref", "invalid_schema_type", "invalid_schema_pattern"})
"""Reasons that blame the schema, not the arguments. `definition_problems` reports each of them as well."""


@dataclass(frozen=True, slots=True)
class ArgumentProblem:
    """One way in which arguments break a schema.

    Attributes:
        reason: the contract's reason code.
        path: keys and indices from the arguments down to the value concerned; a missing one included.
        extras: further facts, such as `expected_type`.
        rule: the keyword that is broken and what it says, for people; not part of the record.
    """

    reason: str
    path: JsonPath
    extras: Mapping[str, JsonValue] = field(default_factory=dict)
    rule: tuple[str, JsonValue] | None = None

    @property
    def argument(self) -> str:
        """The argument's name as the contract writes it: `limit`, `addr.city`, `ids[0]`; `$` for the whole."""
        return path_text(self.path).removeprefix("$.")

    def to_json(self) -> JsonObject:
        """Return the failure record of the contract."""
        return {"reason": self.reason, "argument": self.argument, **self.extras}


def argument_problems(parameters: JsonObject, arguments: Any) -> tuple[JsonObject, ...]:
    """Return the contract's failure records for a call's arguments, in the contract's order; empty when they obey."""
    return tuple(problem.to_json() for problem in find_argument_problems(parameters, arguments))


def find_argument_problems(parameters: JsonObject, arguments: Any) -> tuple[ArgumentProblem, ...]:
    """Return what is wrong with a call's arguments, in the contract's order; empty when they obey."""
    if not isinstance(arguments, dict):
        return (ArgumentProblem("arguments_not_object", ()),)
    return find_value_problems(parameters, arguments, root=parameters)


def find_value_problems(schema: JsonObject, value: Any, *, root: JsonObject) -> tuple[ArgumentProblem, ...]:
    """Return what is wrong with any JSON value under a sub-schema of `root`."""
    walk = _Walk(root)
    walk.over(schema, value)
    return tuple(walk.problems)


class _Walk:
    """One walk over a value along a schema, with a stack of its own: neither of them can exhaust Python's."""

    __slots__ = ("_root", "_seen", "_waiting", "problems")

    def __init__(self, root: JsonObject) -> None:
        self.problems: list[ArgumentProblem] = []
        self._root = root
        self._seen: set[tuple[int, JsonPath]] = set()
        self._waiting: list[tuple[bool, JsonObject, Any, JsonPath]] = []

    def over(self, schema: JsonObject, value: Any) -> None:
        """Collect all problems of a value."""
        waiting = self._waiting
        waiting.append((True, schema, value, ()))
        while waiting:
            is_new, schema, value, path = waiting.pop()
            if not is_new:
                self._check(schema, value, path)
            elif (id(schema), path) not in self._seen:
                self._seen.add((id(schema), path))
                self._enter(schema, value, path)

    def _add(self, reason: str, path: JsonPath, **extras: Any) -> None:
        self.problems.append(ArgumentProblem(reason, path, extras))

    def _enter(self, schema: JsonObject, value: Any, path: JsonPath) -> None:
        """Let the referenced schema and the `allOf` branches go first; without the former nothing can be said."""
        reference, branches = schema.get("$ref"), schema.get("allOf")
        if reference is None and branches is None:
            self._check(schema, value, path)
            return
        target = resolve(self._root, reference)
        if reference is not None and target is None:
            self._add("unresolvable_schema_ref", path)
            return
        self._waiting.append((False, schema, value, path))
        for branch in reversed(branches) if isinstance(branches, list) else ():
            if isinstance(branch, dict):
                self._waiting.append((True, branch, value, path))
        if target is not None:
            self._waiting.append((True, target.schema, value, path))

    def _check(self, schema: JsonObject, value: Any, path: JsonPath) -> None:
        """Check the node itself; a value of the wrong type is not looked at any further."""
        if "type" in schema and not self._type_allows(schema["type"], value, path):
            return
        if not _RULES.keys().isdisjoint(schema):
            self._check_value(schema, value, path)
        if isinstance(value, dict):
            self._check_object(schema, value, path)
        elif isinstance(value, list) and isinstance(schema.get("items"), dict):
            self._wait_for((schema["items"], item, (*path, index)) for index, item in enumerate(value))

    def _type_allows(self, declared: Any, value: Any, path: JsonPath) -> bool:
        types = types_of(value)
        if declared in types:
            return True
        names = type_names(declared)
        if names is None:
            self._add("invalid_schema_type", path, value=declared)
        elif not any(name in types for name in names):
            self._add("argument_type_mismatch", path, expected_type=declared)
        else:
            return True
        return False

    def _check_value(self, schema: JsonObject, value: Any, path: JsonPath) -> None:
        for keyword, rule in _RULES.items():
            if keyword in schema:
                reason = rule(schema[keyword], value)
                if reason is not None:
                    self.problems.append(ArgumentProblem(reason, path, rule=(keyword, schema[keyword])))

    def _check_object(self, schema: JsonObject, value: JsonObject, path: JsonPath) -> None:
        required = schema.get("required")
        for name in required if isinstance(required, list) else ():
            if isinstance(name, str) and name not in value:
                self._add("missing_required_argument", (*path, name))
        declared = schema.get("properties")
        properties = declared if isinstance(declared, dict) else {}
        if schema.get("additionalProperties") is False:
            for name in value:
                if name not in properties:
                    self._add("unknown_argument", (*path, name))
        self._wait_for(
            (below, value[name], (*path, name))
            for name, below in properties.items()
            if name in value and isinstance(below, dict)
        )

    def _wait_for(self, children: Iterable[tuple[Any, Any, JsonPath]]) -> None:
        """Put sub-schemas with their values on the stack, so that the first is looked at first."""
        self._waiting.extend(reversed([(True, schema, value, path) for schema, value, path in children]))


def _enum(members: Any, value: Any) -> str | None:
    if not isinstance(members, list) or any(same_value(member, value) for member in members):
        return None
    return "argument_not_in_enum"


def _const(wanted: Any, value: Any) -> str | None:
    return None if same_value(wanted, value) else "argument_not_equal_const"


def _pattern(pattern: Any, value: Any) -> str | None:
    if not isinstance(value, str) or not isinstance(pattern, str):
        return None
    if pattern_fault(pattern) is not None:
        return "invalid_schema_pattern"
    found = matches(pattern, value)
    if found is None:
        return "pattern_too_slow"
    return None if found else "string_pattern_mismatch"


def _length_rule(kind: type, reason: str, *, least: bool) -> Callable[[Any, Any], str | None]:
    def rule(bound: Any, value: Any) -> str | None:
        if not isinstance(value, kind) or not has_type(bound, "integer"):
            return None
        length = len(value)  # type: ignore[arg-type]
        return reason if (length < bound if least else length > bound) else None

    return rule


def _amount_rule(reason: str, *, least: bool) -> Callable[[Any, Any], str | None]:
    def rule(bound: Any, value: Any) -> str | None:
        if not has_type(value, "number") or not has_type(bound, "number"):
            return None
        return reason if (value < bound if least else value > bound) else None

    return rule


_RULES: Final[Mapping[str, Callable[[Any, Any], str | None]]] = {
    "enum": _enum,
    "const": _const,
    "minLength": _length_rule(str, "string_too_short", least=True),
    "maxLength": _length_rule(str, "string_too_long", least=False),
    "pattern": _pattern,
    "minimum": _amount_rule("number_below_minimum", least=True),
    "maximum": _amount_rule("number_above_maximum", least=False),
    "minItems": _length_rule(list, "array_too_short", least=True),
    "maxItems": _length_rule(list, "array_too_long", least=False),
}
"""Keyword -> rule (keyword's value, value) -> reason of a breach; in the contract's order."""
