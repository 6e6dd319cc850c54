"""References within a parameter schema: `#/$defs/address`.

A pointer's tokens are percent-decoded first, then `~1` is `/` and `~0` is `~`. Arrays cannot be indexed
(`reference/loading.md` 4.3 and 4.4).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote

if TYPE_CHECKING:
    from assay.values import JsonObject, JsonPath


class Target(NamedTuple):
    """What a reference leads to."""

    schema: JsonObject
    path: JsonPath


def is_local(reference: Any) -> bool:
    """Say whether a `$ref` points into its own document."""
    return isinstance(reference, str) and reference.startswith("#/")


def resolve(root: JsonObject, reference: Any) -> Target | None:
    """Return the schema that a reference leads to, or None when it leads nowhere or to something that is no schema."""
    if not is_local(reference):
        return None
    node: Any = root
    path = tuple(map(_unescaped, reference.removeprefix("#/").split("/")))
    for token in path:
        if not isinstance(node, dict) or token not in node:
            return None
        node = node[token]
    return Target(node, path) if isinstance(node, dict) else None


def _unescaped(token: str) -> str:
    return unquote(token).replace("~1", "/").replace("~0", "~")
