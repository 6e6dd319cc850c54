"""Landlock: the kernel refuses files, TCP and signals that were not granted (Linux 5.13 and later).

Rules can only grant, below a folder or for a file; what no rule names is refused, whoever owns it. Landlock says
nothing about looking at a file's facts (`stat`) or changing them (`chmod`): see `mounts` and `seccomp`.

Source: Linux `Documentation/userspace-api/landlock.rst`; the constants stand in `linux/landlock.h`.
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct

from . import kernel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Final

_CREATE_RULESET: Final = 444
_ADD_RULE: Final = 445
_RESTRICT_SELF: Final = 446
_ASK_VERSION: Final = 1
_RULE_PATH_BENEATH: Final = 1

_EXECUTE: Final = 1 << 0
_WRITE_FILE: Final = 1 << 1
_READ_FILE: Final = 1 << 2
_READ_DIR: Final = 1 << 3
_MAKE_CHAR: Final = 1 << 6
_MAKE_SOCK: Final = 1 << 9
_MAKE_BLOCK: Final = 1 << 10
_TRUNCATE: Final = 1 << 14
_IOCTL_DEVICE: Final = 1 << 15

_READ: Final = _READ_FILE | _READ_DIR
_NEVER: Final = _EXECUTE | _MAKE_CHAR | _MAKE_SOCK | _MAKE_BLOCK | _IOCTL_DEVICE
_FOR_FILES: Final = _READ_FILE | _WRITE_FILE | _TRUNCATE

_FILE_RIGHTS: Final = {1: 13, 2: 14, 3: 15, 4: 15}
"""ABI -> how many file rights it knows (the lowest bits); later ones know 16."""
_TCP_SINCE_ABI: Final = 4
_SCOPES_SINCE_ABI: Final = 6
_BOTH_BITS: Final = 0b11
"""Bind and connect of TCP; abstract sockets and signals of the scopes."""


def abi() -> int:
    """Return the kernel's Landlock version.

    Raises:
        OSError: when the kernel has no Landlock or does not let it be used.
    """
    return kernel.system_call(_CREATE_RULESET, None, 0, _ASK_VERSION)


def restrict(readable: Iterable[str], writable: Iterable[str]) -> int:
    """Refuse this process every file but the named ones, TCP, abstract sockets and signals to others, for good.

    Args:
        readable: files and folders whose content may be read; missing ones are passed over.
        writable: files and folders that may be read and changed, too.

    Returns:
        The Landlock version in use; how much of the above is refused depends on it.

    Raises:
        OSError: when the kernel cannot or may not do it. Needs `no_new_privs` to be set.
    """
    version = abi()
    rights = (1 << _FILE_RIGHTS.get(version, 16)) - 1
    ruleset = _create_ruleset(version, rights)
    try:
        for path in readable:
            _grant(ruleset, path, _READ & rights)
        for path in writable:
            _grant(ruleset, path, rights & ~_NEVER)
        kernel.system_call(_RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)
    return version


def _create_ruleset(version: int, rights: int) -> int:
    """Return the descriptor of an empty ruleset that handles everything this version can."""
    tcp = _BOTH_BITS if version >= _TCP_SINCE_ABI else 0
    scopes = _BOTH_BITS if version >= _SCOPES_SINCE_ABI else 0
    known = 1 + (version >= _TCP_SINCE_ABI) + (version >= _SCOPES_SINCE_ABI)
    attributes = struct.pack("=QQQ", rights, tcp, scopes)[: 8 * known]
    return kernel.system_call(_CREATE_RULESET, attributes, len(attributes), 0)


def _grant(ruleset: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(place).st_mode):
            rights &= _FOR_FILES
        rule = struct.pack("=Qi", rights, place)
        kernel.system_call(_ADD_RULE, ruleset, _RULE_PATH_BENEATH, ctypes.c_char_p(rule), 0)
    finally:
        os.close(place)
