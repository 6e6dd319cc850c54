"""Filling in the defaults that a parameter schema declares.

The gold calls never get defaults; this serves probes and readers that want to know what a call amounts to
(`reference/loading.md` 4.5).
"""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any, TypeAlias

from assay.schema.references import resolve

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.values import JsonObject

_Step: TypeAlias = "tuple[bool, JsonObject, Any, frozenset[int]]"
"""Whether it is new, a schema, a value under it, and the property schemas whose inserted defaults the value lies in."""


def with_defaults(parameters: JsonObject, arguments: JsonObject) -> JsonObject:
    """Return a deep copy of arguments in which every missing property that has a default holds it.

    The default of a property is its own, else that of the schema it refers to, else that of its first `allOf` branch
    that has one. A missing object without a default of its own stays missing, whatever its properties declare. A
    default that a recursive schema would insert into itself for ever is inserted once.
    """
    filled = deepcopy(arguments)
    _Filling(parameters).over(filled)
    return filled


class _Filling:
    """One walk that fills in defaults; each pair of schema and container is visited once."""

    def __init__(self, root: JsonObject) -> None:
        self._root = root
        self._seen: set[tuple[int, int]] = set()
        self._waiting: list[_Step] = []

    def over(self, value: JsonObject) -> None:
        """Fill in the arguments and everything within them, in place."""
        self._waiting.append((True, self._root, value, frozenset()))
        while self._waiting:
            is_new, schema, value, inserted = self._waiting.pop()
            if not is_new:
                self._fill(schema, value, inserted)
            elif isinstance(value, (dict, list)) and (id(schema), id(value)) not in self._seen:
                self._seen.add((id(schema), id(value)))
                self._waiting.append((False, schema, value, inserted))
                self._waiting.extend((True, each, value, inserted) for each in reversed(self._applied(schema)))

    def _fill(self, schema: JsonObject, value: Any, inserted: frozenset[int]) -> None:
        """Fill in one container itself; `inserted` names the property schemas whose defaults it lies in."""
        items, properties = schema.get("items"), schema.get("properties")
        if isinstance(value, list):
            below = [(items, item, inserted) for item in value] if isinstance(items, dict) else []
        else:
            below = list(self._filled_properties(properties if isinstance(properties, dict) else {}, value, inserted))
        self._waiting.extend((True, *each) for each in reversed(below))

    def _filled_properties(
        self, properties: JsonObject, value: JsonObject, inserted: frozenset[int]
    ) -> Iterator[tuple[JsonObject, Any, frozenset[int]]]:
        for name, schema in properties.items():
            if not isinstance(schema, dict):
                continue
            if name in value:
                yield schema, value[name], inserted
                continue
            holder = self._holder_of_default(schema)
            if holder is not None and id(schema) not in inserted:
                value[name] = deepcopy(holder["default"])
                yield schema, value[name], inserted | {id(schema)}

    def _applied(self, schema: JsonObject) -> list[JsonObject]:
        """Return the schemas that hold for the same value: the referenced one, then the branches."""
        target = resolve(self._root, schema.get("$ref"))
        branches = schema.get("allOf")
        applied = [] if target is None else [target.schema]
        return applied + [each for each in (branches if isinstance(branches, list) else ()) if isinstance(each, dict)]

    def _holder_of_default(self, schema: JsonObject) -> JsonObject | None:
        """Return the schema whose default a property takes: itself, or the first that holds for the same value."""
        return next((each for each in self._same_value_schemas(schema) if "default" in each), None)

    def _same_value_schemas(self, schema: JsonObject) -> Iterator[JsonObject]:
        waiting, seen = [schema], set()
        while waiting:
            each = waiting.pop()
            if id(each) not in seen:
                seen.add(id(each))
                yield each
                waiting.extend(reversed(self._applied(each)))
