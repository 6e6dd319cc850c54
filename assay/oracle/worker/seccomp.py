"""A seccomp filter: system calls that a pack has no business making fail at once.

What it refuses that nothing else here does: new processes and programs (threads may pass), also for root, whom
`RLIMIT_NPROC` does not bind; sockets of every family, those with path names included; signals to, limits of and
scheduling of other processes of the same user, also those that the kernel would send when a descriptor of this process
becomes ready (`F_SETOWN`); leases, by which it could keep others from opening a file; and the kernel's larger attack
surfaces. It keeps the lifeline open, so that the worker cannot outlive us. `socketpair` stays, because event loops need
it.

The filter is classic BPF: it looks at the number of the call and, where that matters, at one of its first two
arguments. On a machine without a table of numbers there is no filter, and the report says so.

Source: Linux `Documentation/userspace-api/seccomp_filter.rst`; the constants stand in `linux/filter.h` and
`linux/seccomp.h`.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct

from . import kernel
from . import system_calls as calls

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_LOAD: Final = 0x20
_EQUAL: Final = 0x15
_AT_LEAST: Final = 0x35
_HAS_BITS: Final = 0x45
_RETURN: Final = 0x06

_ALLOW: Final = 0x7FFF0000
_FAIL: Final = 0x00050000
_MODE_FILTER: Final = 2

_NUMBER_AT: Final = 0
_ARCHITECTURE_AT: Final = 4
_FIRST_ARGUMENT_AT: Final = 16
_SECOND_ARGUMENT_AT: Final = 24
"""Offsets in `struct seccomp_data`; both machines are little-endian, so the low half of an argument comes first."""

_CLONE_THREAD: Final = 0x00010000
_X32_CALLS: Final = 0x40000000


class Unsupported(Exception):
    """There is no table of system calls for this machine."""


def install(lifeline: int, *, processes: bool, file_facts: bool) -> None:
    """Put the filter in force for this process and all it starts, for good.

    Args:
        lifeline: a descriptor that is to stay open, as it is.
        processes: let it start further processes (never other programs).
        file_facts: let it change owner, mode and times of files.

    Raises:
        Unsupported: on a machine without a table.
        OSError: when the kernel refuses. Needs `no_new_privs` to be set.
    """
    if kernel.MACHINE not in calls.MACHINES:
        raise Unsupported(f"no table of system calls for {kernel.MACHINE or 'this system'}")
    program = _program(kernel.MACHINE, lifeline, processes=processes, file_facts=file_facts)
    instructions = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("@HP", len(program) // 8, ctypes.addressof(instructions))
    kernel.prctl(kernel.PR_SET_SECCOMP, _MODE_FILTER, ctypes.c_char_p(header))


def _program(machine: str, lifeline: int, *, processes: bool, file_facts: bool) -> bytes:
    """Return the filter as BPF instructions."""
    refused = calls.numbers_of(calls.PROGRAMS, machine) + calls.numbers_of(calls.SYSTEM, machine)
    if not file_facts:
        refused += calls.numbers_of(calls.FILE_FACTS, machine)
    if not processes:
        refused += calls.numbers_of(calls.PROCESSES, machine)
    own = os.getpid()
    parts = [
        _only_this_machine(machine),
        _refuse(calls.SOCKET[machine], errno.EACCES),
        *map(_refuse, refused),
        *(_refuse_first(number, lifeline) for number in calls.numbers_of(calls.ON_DESCRIPTOR, machine)),
        *(_refuse_second(number, lifeline) for number in calls.numbers_of(calls.ONTO_DESCRIPTOR, machine)),
        _refuse_second(calls.FCNTL[machine], *calls.REACHING_FCNTL),
        _refuse_second(calls.IOCTL[machine], *calls.REACHING_IOCTL),
        *(_only_for(number, own) for number in calls.numbers_of(calls.OWN_PROCESS_ONLY, machine)),
    ]
    if not processes:
        parts += [_refuse(calls.CLONE3, errno.ENOSYS), _threads_only(calls.CLONE[machine])]
    return b"".join([*parts, _instruction(_RETURN, _ALLOW)])


def _only_this_machine(machine: str) -> bytes:
    """Refuse calls in another machine's numbering (32-bit and x32 programs), and load the number."""
    return (
        _instruction(_LOAD, _ARCHITECTURE_AT)
        + _instruction(_EQUAL, calls.AUDIT_ARCHITECTURES[machine], 1, 0)
        + _fail(errno.EPERM)
        + _instruction(_LOAD, _NUMBER_AT)
        + _instruction(_AT_LEAST, _X32_CALLS, 0, 1)
        + _fail(errno.EPERM)
    )


def _refuse(number: int, error: int = errno.EPERM) -> bytes:
    return _instruction(_EQUAL, number, 0, 1) + _fail(error)


def _refuse_first(number: int, *values: int) -> bytes:
    """Refuse a call when its first argument is one of some values."""
    return _refuse_when(number, _FIRST_ARGUMENT_AT, values)


def _refuse_second(number: int, *values: int) -> bytes:
    """Refuse a call when its second argument is one of some values."""
    return _refuse_when(number, _SECOND_ARGUMENT_AT, values)


def _refuse_when(number: int, argument_at: int, values: tuple[int, ...]) -> bytes:
    """Refuse a call when an argument is one of some values; otherwise go on with the number loaded again."""
    checks = b"".join(_refuse(value) for value in values)
    rest = _instruction(_LOAD, argument_at) + checks + _instruction(_LOAD, _NUMBER_AT)
    return _instruction(_EQUAL, number, 0, len(rest) // 8) + rest


def _only_for(number: int, process: int) -> bytes:
    """Let a call pass when its first argument is this process (or 0, which means itself or its group)."""
    return (
        _instruction(_EQUAL, number, 0, 5)
        + _instruction(_LOAD, _FIRST_ARGUMENT_AT)
        + _instruction(_EQUAL, process, 2, 0)
        + _instruction(_EQUAL, 0, 1, 0)
        + _fail(errno.EPERM)
        + _instruction(_RETURN, _ALLOW)
    )


def _threads_only(clone: int) -> bytes:
    """Let `clone` make threads. The C library falls back to it from `clone3`, whose flags a filter cannot see."""
    return (
        _instruction(_EQUAL, clone, 0, 3)
        + _instruction(_LOAD, _FIRST_ARGUMENT_AT)
        + _instruction(_HAS_BITS, _CLONE_THREAD, 1, 0)
        + _fail(errno.EPERM)
    )


def _fail(error: int) -> bytes:
    return _instruction(_RETURN, _FAIL | error)


def _instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)
