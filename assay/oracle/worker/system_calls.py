"""Numbers of system calls, by what the filter does with them.

Each name stands with its number on x86_64 and on aarch64 (None where that machine has no such call). Sources: Linux
`asm/unistd_64.h` and `asm-generic/unistd.h`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final, TypeAlias

    Numbers: TypeAlias = dict[str, tuple[int | None, int | None]]

MACHINES: Final = {"x86_64": 0, "aarch64": 1}
"""Machine -> its column."""

AUDIT_ARCHITECTURES: Final = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

PROCESSES: Final[Numbers] = {"fork": (57, None), "vfork": (58, None)}
CLONE: Final = {"x86_64": 56, "aarch64": 220}
CLONE3: Final = 435
SOCKET: Final = {"x86_64": 41, "aarch64": 198}
FCNTL: Final = {"x86_64": 72, "aarch64": 25}
IOCTL: Final = {"x86_64": 16, "aarch64": 29}

REACHING_FCNTL: Final = (8, 10, 15, 1024, 1026)
"""`F_SETOWN`, `F_SETSIG`, `F_SETOWN_EX`, `F_SETLEASE`, `F_NOTIFY`: signals to others when a descriptor is ready, files
that others cannot open meanwhile, word of what others do in a folder."""
REACHING_IOCTL: Final = (0x8901, 0x8902)
"""`FIOSETOWN`, `SIOCSPGRP`: the same as `F_SETOWN`."""

ON_DESCRIPTOR: Final[Numbers] = {
    "close": (3, 57),
    "dup": (32, 23),
    "dup2": (33, None),
    "dup3": (292, 24),
    "fcntl": (72, 25),
    "ioctl": (16, 29),
}
"""Calls whose first argument names a descriptor that they close, copy or change."""
ONTO_DESCRIPTOR: Final[Numbers] = {"dup2": (33, None), "dup3": (292, 24)}
"""Calls whose second argument names a descriptor that they replace."""

PROGRAMS: Final[Numbers] = {"execve": (59, 221), "execveat": (322, 281)}

OWN_PROCESS_ONLY: Final[Numbers] = {
    "kill": (62, 129),
    "tgkill": (234, 131),
    "prlimit64": (302, 261),
    "sched_setaffinity": (203, 122),
}
"""Calls whose first argument names a process."""

FILE_FACTS: Final[Numbers] = {
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "chown": (92, None),
    "fchown": (93, 55),
    "lchown": (94, None),
    "fchownat": (260, 54),
    "utime": (132, None),
    "utimes": (235, None),
    "futimesat": (261, None),
    "utimensat": (280, 88),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
}

SYSTEM: Final[Numbers] = {
    "add_key": (248, 217),
    "bpf": (321, 280),
    "chroot": (161, 51),
    "close_range": (436, 436),
    "fanotify_init": (300, 262),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fsopen": (430, 430),
    "fspick": (433, 433),
    "inotify_add_watch": (254, 27),
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "io_uring_setup": (425, 425),
    "ioprio_set": (251, 30),
    "keyctl": (250, 219),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "migrate_pages": (256, 238),
    "mount": (165, 40),
    "mount_setattr": (442, 442),
    "move_mount": (429, 429),
    "move_pages": (279, 239),
    "mq_open": (240, 180),
    "msgget": (68, 186),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "perf_event_open": (298, 241),
    "pidfd_getfd": (438, 438),
    "pidfd_open": (434, 434),
    "pidfd_send_signal": (424, 424),
    "pivot_root": (155, 41),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
    "request_key": (249, 218),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "sched_setattr": (314, 274),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    "semget": (64, 190),
    "sendmmsg": (307, 269),
    "sendmsg": (46, 211),
    "setns": (308, 268),
    "setpriority": (141, 140),
    "shmget": (29, 194),
    "syslog": (103, 116),
    "tkill": (200, 130),
    "umount2": (166, 39),
    "unshare": (272, 97),
    "userfaultfd": (323, 282),
}
"""Reaching into other processes, watching what they do, changing the system, memory that no limit counts, and the
kernel's larger attack surfaces. `close_range` and `sendmsg` (which hands on descriptors) could get around the rules
that keep the lifeline open; Python falls back from the former, and without sockets nobody needs the latter."""


def numbers_of(calls: Numbers, machine: str) -> list[int]:
    """Return the numbers of a group of calls on a machine."""
    column = MACHINES[machine]
    return [number for each in calls.values() if (number := each[column]) is not None]
