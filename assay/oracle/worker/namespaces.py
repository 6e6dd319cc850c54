"""Namespaces: no network, and a file system that is read-only but for a small private scratch folder (Linux).

A process gets namespaces of its own for the network (which leaves not even loopback), for System V IPC, for the name of
the host (which is the same everywhere, so that no result depends on it) and for mounts.
In its own view of the mounts everything is turned read-only, facts of files included, and a memory file system of
bounded size is mounted as its scratch folder; both vanish with it. An ordinary user first enters a user namespace that
maps him to himself. Root does not: there he would lose access to folders that other users have closed.

Sources: `unshare(2)`, `user_namespaces(7)`, `mount_setattr(2)`, `capset(2)`.
"""

from __future__ import annotations

import ctypes
import os
import struct

from . import kernel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_NEW_MOUNTS: Final = 0x00020000
_NEW_HOST_NAME: Final = 0x04000000
_NEW_IPC: Final = 0x08000000
_NEW_USER: Final = 0x10000000
_NEW_NETWORK: Final = 0x40000000

_HOST_NAME: Final = b"worker"

_MOUNT_SETATTR: Final = 442
_THIS_FOLDER: Final = -100
_RECURSIVE: Final = 0x8000
_READ_ONLY: Final = 0x1
_PRIVATE: Final = 1 << 18
_MOST_FILES: Final = 10_000
_NOSUID_NODEV_NOEXEC: Final = 0x2 | 0x4 | 0x8

_CAPABILITY_VERSION: Final = 0x20080522
_READ_EVERYTHING: Final = 1 << 2
"""`CAP_DAC_READ_SEARCH`."""


def enter() -> None:
    """Enter fresh namespaces for network, IPC, host name and mounts (and a user namespace, unless root).

    Raises:
        OSError: when the kernel or a container around us refuses. Must be called while single-threaded.
    """
    own = _NEW_NETWORK | _NEW_IPC | _NEW_HOST_NAME | _NEW_MOUNTS
    user, group = os.geteuid(), os.getegid()
    if user == 0:
        kernel.call("unshare", own)
    else:
        kernel.call("unshare", own | _NEW_USER)
        _write("/proc/self/setgroups", "deny")
        _write("/proc/self/uid_map", f"{user} {user} 1")
        _write("/proc/self/gid_map", f"{group} {group} 1")
    kernel.call("sethostname", _HOST_NAME, len(_HOST_NAME))


def mount_scratch(folder: str, size: int) -> None:
    """Mount an empty memory file system on a folder and turn every other mount read-only, for this process alone.

    Args:
        folder: an existing folder that belongs to this user.
        size: how much may be stored there, in bytes.

    Raises:
        OSError: when the kernel refuses (before Linux 5.12, or without `enter`).
    """
    _set_mounts("/", _RECURSIVE, propagation=_PRIVATE)
    options = f"size={size},nr_inodes={_MOST_FILES},mode=0700"
    kernel.call("mount", b"scratch", folder.encode(), b"tmpfs", _NOSUID_NODEV_NOEXEC, options.encode())
    _set_mounts("/", _RECURSIVE, setting=_READ_ONLY)
    _set_mounts(folder, 0, clearing=_READ_ONLY)


def drop_capabilities() -> None:
    """Give up all privileges for good, but for root's to read what other users have closed.

    Root needs that one to read a pack or an interpreter in a user's home; Landlock bounds what it reaches.

    Raises:
        OSError: when the kernel refuses.
    """
    kept = _READ_EVERYTHING if os.geteuid() == 0 else 0
    header = struct.pack("=Ii", _CAPABILITY_VERSION, 0)
    sets = struct.pack("=IIIIII", kept, kept, 0, 0, 0, 0)
    kernel.call("capset", ctypes.create_string_buffer(header), ctypes.create_string_buffer(sets))


def _set_mounts(path: str, flags: int, *, setting: int = 0, clearing: int = 0, propagation: int = 0) -> None:
    attributes = struct.pack("=QQQQ", setting, clearing, propagation, 0)
    kernel.system_call(_MOUNT_SETATTR, _THIS_FOLDER, path.encode(), flags, attributes, len(attributes))


def _write(file: str, text: str) -> None:
    descriptor = os.open(file, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)
