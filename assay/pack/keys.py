"""Which field identifies a row: the one implementation for loading, held-out rows and binding (ruling 3).

A collection's key is what the manifest declares; otherwise `<singular>_id` or `id`; otherwise its only field that ends
in `_id`. Fields are those of all rows together, so that a sparse first row changes nothing (ruling 9). The singular is
the collection's name without one trailing `s`: `berths` has `berth_id`, but `categories` would have `categorie_id` and
so needs a declaration (`reference/bind-plan-render.md` 1.3, `reference/loading.md` 3.1).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.values import canonical_json

if TYPE_CHECKING:
    from collections.abc import Iterable


class KeyProblem(ValueError):
    """A collection whose primary key cannot be told. The text is one sentence for the author."""


def primary_key(collection: str, rows: Iterable[Any], declared: str | None) -> str:
    """Return the name of the field that identifies the rows of a collection.

    Args:
        collection: its name in the fixtures.
        rows: all its rows; what is not an object is passed over.
        declared: manifest `primary_keys.<collection>`; blank counts as absent. It is trusted while there are no rows.

    Raises:
        KeyProblem: when no row carries the declared field, or when no field can be told from the rows.
    """
    fields = field_names(rows)
    if declared:
        if fields and declared not in fields:
            raise KeyProblem(
                f"`primary_keys.{collection}` is `{declared}`, but no row of `{collection}` carries that field;"
                f" the rows carry {_listed(fields)}."
            )
        return declared
    singular = collection.removesuffix("s")
    for name in (f"{singular}_id", "id"):
        if name in fields:
            return name
    candidates = [name for name in fields if name.endswith("_id")]
    if len(candidates) == 1:
        return candidates[0]
    found = f"{_listed(candidates)} could each be it" if candidates else f"none of {_listed(fields)} looks like a key"
    raise KeyProblem(f"The primary key of `{collection}` is not clear: {found}; declare `primary_keys.{collection}`.")


def fixture_ref(collection: str, row_id: Any) -> str:
    """Return the canonical reference to a row, `["collection","id"]`.

    Ids are told as text, so 1 and "1" coincide (`reference/bind-plan-render.md` 1.3).

    Raises:
        ValueError: when a part is blank.
    """
    parts = [collection, str(row_id)]
    if not all(part.strip() for part in parts):
        raise ValueError("a fixture reference needs a collection and an id, neither of them blank")
    return canonical_json(parts)


def field_names(rows: Iterable[Any]) -> list[str]:
    """Return the names of all fields of all rows, each once, in order of first appearance."""
    return list(dict.fromkeys(name for row in rows if isinstance(row, dict) for name in row))


def _listed(names: list[str], limit: int = 8) -> str:
    """Write names for people, so many and no more."""
    shown = ", ".join(f"`{name}`" for name in names[:limit])
    more = len(names) - limit
    return f"{shown} and {more} more" if more > 0 else shown or "no field"
