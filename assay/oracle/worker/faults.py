"""What an exception of pack code tells, as plain facts.

Our process turns the facts into a place and a readable traceback. Nothing here formats source lines or imports
`traceback`, and everything that is taken from the exception is bounded: pack code may have made it to do harm.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any, Final

RAISED: Final = "raised"
MAX_TEXT: Final = 4_000
MAX_NAME: Final = 500
_MAX_CHAIN: Final = 5
_FIRST_FRAMES: Final = 10
_LAST_FRAMES: Final = 30
_MAX_NUMBER: Final = 10**9
_OUR_FOLDER: Final = __file__.rpartition("/")[0]


def describe(problem: BaseException, links: int = _MAX_CHAIN) -> dict[str, Any]:
    """Return type, text, frames (outermost first) and the exceptions that led to this one."""
    facts: dict[str, Any] = {
        "kind": RAISED,
        "type": class_name(problem),
        "text": text_of(problem),
        "frames": _frames(problem.__traceback__),
    }
    if isinstance(problem, SyntaxError):
        facts["syntax"] = [_plain(problem.filename), _plain(problem.lineno), _plain(problem.offset)]
    if links and problem.__cause__ is not None:
        facts["cause"] = describe(problem.__cause__, links - 1)
    elif links and problem.__context__ is not None and not problem.__suppress_context__:
        facts["context"] = describe(problem.__context__, links - 1)
    return facts


def class_name(problem: BaseException) -> str:
    """Return the name of an exception's class. A class can be made so that asking for it runs pack code."""
    try:
        name = type(problem).__qualname__
    except BaseException:
        name = ""
    return name[:MAX_NAME] if type(name) is str and name else "an exception without a name"


def text_of(problem: BaseException) -> str:
    """Return the text of an exception, in what UTF-8 can carry. Making it runs pack code, which may fail in turn."""
    try:
        text = str.__str__(str(problem))[:MAX_TEXT]
    except BaseException as another:
        return f"(its text cannot be read: {class_name(another)})"
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _frames(traceback: TracebackType | None) -> list[list[Any]]:
    """Return [file, line, column in bytes or None, function] of each frame but ours; very many lose their middle."""
    frames = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if not code.co_filename.startswith(_OUR_FOLDER):
            names = code.co_filename[:MAX_NAME], code.co_name[:MAX_NAME]
            frames.append([names[0], traceback.tb_lineno, _column(traceback), names[1]])
        traceback = traceback.tb_next
    if len(frames) > _FIRST_FRAMES + _LAST_FRAMES:
        frames[_FIRST_FRAMES:-_LAST_FRAMES] = []
    return frames


def _column(traceback: TracebackType) -> int | None:
    """Return where in its line the failing instruction starts, counted in bytes from 0."""
    for index, (_, _, column, _) in enumerate(traceback.tb_frame.f_code.co_positions()):
        if index == traceback.tb_lasti // 2:
            return column
    return None


def _plain(value: object) -> str | int | None:
    if type(value) is str:
        return value[:MAX_NAME]
    return value if type(value) is int and 0 <= value <= _MAX_NUMBER else None
