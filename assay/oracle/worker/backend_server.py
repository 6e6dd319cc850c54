"""Serves a backend module: its four callables, one request at a time.

Call forms, from the contract (`reference/trace-replay.md` 4.4 and 5.2): `list_tools()`, `reset(ctx=, fixtures=)`,
`call_tool(name, arguments, ctx=)`, `get_state()`. Fixtures and arguments are fresh copies every time, so a backend that
changes what it was given cannot disturb a later reset.
"""

from __future__ import annotations

import json

from .context import RunContext
from .encoding import NOT_JSON, Unfit, encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import ModuleType
    from typing import Any, Final

CALLABLES: Final = ("list_tools", "reset", "call_tool", "get_state")


class MissingCallable(Exception):
    """The backend does not offer one of the four callables."""


class BackendServer:
    """Answers requests about one backend.

    Args:
        module: the imported backend.
        fixtures: the visible fixtures as JSON text.
        limit: the longest answer allowed, in bytes.
    """

    def __init__(self, module: ModuleType, fixtures: str, limit: int) -> None:
        self._module = module
        self._fixtures = fixtures
        self._limit = limit
        self._context: Mapping[str, Any] = {}

    def answers(self, op: str, *details: Any) -> Iterator[bytes]:
        """Serve one request; `episode` alone has no answer."""
        if op == "episode":
            (self._context,) = details
            return
        yield getattr(self, f"_{op}")(*details)

    def _reset(self) -> bytes:
        fixtures = json.loads(self._fixtures)
        self._callable("reset")(ctx=RunContext(self._context, 0), fixtures=fixtures)
        return b"null"

    def _call_tool(self, name: str, arguments: Any, turn_index: int) -> bytes:
        context = RunContext(self._context, turn_index)
        result = self._callable("call_tool")(name, arguments, ctx=context)
        return encode(result, "result", self._limit)

    def _get_state(self) -> bytes:
        return encode(self._callable("get_state")(), "state", self._limit)

    def _surface(self) -> bytes:
        offered = {name: callable(getattr(self._module, name, None)) for name in CALLABLES}
        return encode(offered, "surface", self._limit)

    def _list_tools(self) -> bytes:
        return encode(_names(self._callable("list_tools")()), "list_tools()", self._limit)

    def _callable(self, name: str) -> Callable[..., Any]:
        found: Callable[..., Any] | None = getattr(self._module, name, None)
        if not callable(found):
            raise MissingCallable(f"the backend has no callable {name}")
        return found


def _names(listed: Any) -> Sequence[str]:
    """Return what `list_tools` gave as a list of names; a set, which has no order of its own, is sorted.

    Raises:
        Unfit: when it is not an iterable of names.
    """
    if isinstance(listed, (str, bytes)):
        raise Unfit(NOT_JSON, f"list_tools() is {listed!r}, not a list of names")
    try:
        names = list(listed)
    except TypeError:
        raise Unfit(NOT_JSON, f"list_tools() is of type {type(listed).__name__}, not a list of names") from None
    for index, name in enumerate(names):
        if not isinstance(name, str):
            raise Unfit(NOT_JSON, f"list_tools()[{index}] is of type {type(name).__name__}, not a name")
    return sorted(names) if isinstance(listed, (set, frozenset)) else names
