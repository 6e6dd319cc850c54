"""System calls that the standard library does not offer, by way of ctypes."""

from __future__ import annotations

import ctypes
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_LIBC: Final = ctypes.CDLL(None, use_errno=True)

PR_SET_SECCOMP: Final = 22
PR_SET_CHILD_SUBREAPER: Final = 36
PR_SET_NO_NEW_PRIVS: Final = 38

MACHINE: Final = os.uname().machine


def call(name: str, *arguments: object) -> int:
    """Call a function of the C library that reports errors through errno.

    Raises:
        OSError: when it returns a negative number.
        AttributeError: when the library has no such function.
    """
    result: int = getattr(_LIBC, name)(*(_as_c(each) for each in arguments))
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def system_call(number: int, *arguments: object) -> int:
    """Make a system call by its number.

    Raises:
        OSError: when the kernel refuses or does not know it.
    """
    return call("syscall", number, *arguments)


def prctl(option: int, *arguments: object) -> None:
    """Change a property of this process; the arguments that are left out are 0.

    Raises:
        OSError: when the kernel refuses.
    """
    call("prctl", option, *arguments, *(0,) * (4 - len(arguments)))


def _as_c(argument: object) -> object:
    """Pass integers in a whole register: libc's variadic functions read one."""
    return ctypes.c_long(argument) if isinstance(argument, int) else argument
