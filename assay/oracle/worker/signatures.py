"""Whether an assertion can receive `state`, `trace`, `task` and `ctx` as keywords, and nothing more.

Judged is the callable itself, not what a decorator says it wraps: that is what will be called. Imported only by a
worker that inspects, because `inspect` takes some milliseconds to load.
"""

from __future__ import annotations

import inspect
from inspect import Parameter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Final

KEYWORDS: Final = ("state", "trace", "task", "ctx")
_BY_KEYWORD: Final = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
_COLLECTING: Final = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)


def refusal(assertion: Callable[..., Any]) -> str | None:
    """Return why a callable cannot be called as an assertion; None when it can."""
    try:
        parameters = inspect.signature(assertion, follow_wrapped=False).parameters
    except (TypeError, ValueError):
        return "its signature cannot be read"
    open_ended = any(each.kind is Parameter.VAR_KEYWORD for each in parameters.values())
    reasons = [*_unreceived(parameters, open_ended=open_ended), *_unfilled(parameters)]
    return "; ".join(reasons) or None


def defined_at(assertion: Callable[..., Any]) -> tuple[str, int] | None:
    """Return file and line of a function's definition, seen through its decorators."""
    try:
        code = getattr(inspect.unwrap(assertion), "__code__", None)
    except ValueError:
        return None
    return (code.co_filename, code.co_firstlineno) if inspect.iscode(code) else None


def _unreceived(parameters: Mapping[str, Parameter], *, open_ended: bool) -> list[str]:
    """Name the keywords that it does not take. A positional-only parameter of that name does not take one."""
    missing = [name for name in KEYWORDS if not open_ended and name not in parameters]
    positional = [name for name in KEYWORDS if name in parameters and parameters[name].kind not in _BY_KEYWORD]
    reasons = [f"it does not accept {_listed(missing)} as a keyword"] if missing else []
    if positional and not open_ended:
        reasons.append(f"it takes {_listed(positional)} by position only")
    return reasons


def _unfilled(parameters: Mapping[str, Parameter]) -> list[str]:
    """Name the parameters that nothing would fill."""
    unfilled = [
        each.name
        for each in parameters.values()
        if each.default is Parameter.empty
        and each.kind not in _COLLECTING
        and not (each.name in KEYWORDS and each.kind in _BY_KEYWORD)
    ]
    return [f"nothing fills its parameter {_listed(unfilled)}"] if unfilled else []


def _listed(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
