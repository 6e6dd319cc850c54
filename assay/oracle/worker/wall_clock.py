"""Another wall clock for pack code: some days ahead of the true one, or held still.

What pack code can read the time with is replaced: the functions of `time`, and `now` and `utcnow` of
`datetime.datetime`. (`today` asks `time.time` by itself.) The types stay what they are: `now` is exchanged inside the
built-in type, so that every value, test, comparison, subclass and pickle is what it would be otherwise. The functions
are exchanged for callables that, like built-in functions, do not turn into methods when a class holds them.

A clock that is held starts at one fixed instant and moves on by a millisecond each time it is read, so that a loop
which waits for it ends.

Not reached: monotonic clocks (on purpose), times of files, and the clocks of C code (`sqlite3`'s `CURRENT_TIMESTAMP`,
`uuid.uuid1`, `numpy.datetime64("now")`). Works on CPython, whose built-in types keep their methods in a dictionary.
"""

from __future__ import annotations

import ctypes
import gc
import time
from datetime import UTC, datetime

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import tzinfo
    from typing import Any, Final

_HELD_AT_NS: Final = 1_767_225_600 * 10**9
"""The first of January 2026."""
_TICK_NS: Final = 10**6
_WALL_CLOCKS: Final = frozenset(getattr(time, name) for name in ("CLOCK_REALTIME", "CLOCK_TAI") if hasattr(time, name))
_NS: Final = 10**9


class WallClock:
    """The clock that pack code reads.

    Args:
        shift_s: how far it is ahead, in seconds.
        held: start at a fixed instant and move on by being read, not by time.
    """

    def __init__(self, shift_s: int, *, held: bool) -> None:
        self._shift_ns = shift_s * _NS
        self._held = held
        self._readings = 0
        self._true_ns = time.time_ns

    def time_ns(self) -> int:
        """Return nanoseconds since 1970."""
        if not self._held:
            return self._true_ns() + self._shift_ns
        self._readings += 1
        return _HELD_AT_NS + self._shift_ns + self._readings * _TICK_NS

    def time(self) -> float:
        """Return seconds since 1970."""
        return self.time_ns() / _NS

    def install(self) -> None:
        """Let everything that runs in this process from now on read this clock."""
        for name, replacement in self._functions().items():
            setattr(time, name, _Function(name, replacement))
        methods = gc.get_referents(datetime.__dict__)[0]
        methods["now"] = classmethod(self._now())
        methods["utcnow"] = classmethod(self._utcnow())
        ctypes.pythonapi.PyType_Modified(ctypes.py_object(datetime))

    def _functions(self) -> dict[str, Callable[..., Any]]:
        """Return what takes the place of the functions of `time`: given a time, they do what they did."""
        localtime, gmtime, ctime = time.localtime, time.gmtime, time.ctime
        asctime, strftime = time.asctime, time.strftime
        gettime, gettime_ns = time.clock_gettime, time.clock_gettime_ns
        return {
            "time": self.time,
            "time_ns": self.time_ns,
            "localtime": lambda seconds=None: localtime(self.time() if seconds is None else seconds),
            "gmtime": lambda seconds=None: gmtime(self.time() if seconds is None else seconds),
            "ctime": lambda seconds=None: ctime(self.time() if seconds is None else seconds),
            "asctime": lambda *given: asctime(*(given or (localtime(self.time()),))),
            "strftime": lambda form, *given: strftime(form, *(given or (localtime(self.time()),))),
            "clock_gettime": lambda clock: self.time() if clock in _WALL_CLOCKS else gettime(clock),
            "clock_gettime_ns": lambda clock: self.time_ns() if clock in _WALL_CLOCKS else gettime_ns(clock),
        }

    def _now(self) -> Callable[..., datetime]:
        from_timestamp = datetime.__dict__["fromtimestamp"]

        def now(cls: type[datetime], tz: tzinfo | None = None) -> datetime:
            """Return the current time, in a time zone if one is given."""
            moment: datetime = from_timestamp.__get__(None, cls)(self.time(), tz)
            return moment

        return now

    def _utcnow(self) -> Callable[..., datetime]:
        from_timestamp, true_utcnow = (datetime.__dict__[name] for name in ("fromtimestamp", "utcnow"))

        def utcnow(cls: type[datetime]) -> datetime:
            """Return the current time in UTC, without saying so."""
            true_utcnow.__get__(None, cls)()  # for its warning, from Python 3.12 on
            moment: datetime = from_timestamp.__get__(None, cls)(self.time(), UTC)
            return datetime.replace(moment, tzinfo=None)

        return utcnow


class _Function:
    """Stands where a built-in function of `time` stood, and can be held, printed, copied and pickled like it."""

    def __init__(self, name: str, call: Callable[..., Any]) -> None:
        self.__doc__ = getattr(time, name).__doc__
        self.__module__ = "time"
        self.__name__ = self.__qualname__ = name
        self._call = call

    def __call__(self, *given: Any, **named: Any) -> Any:
        return self._call(*given, **named)

    def __repr__(self) -> str:
        return f"<built-in function {self.__name__}>"

    def __reduce__(self) -> str:
        return self.__name__
