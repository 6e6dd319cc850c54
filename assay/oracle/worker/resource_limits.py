"""Bounds that the system keeps for one process: memory, processor time, file size, open files, core dumps."""

from __future__ import annotations

import os
import resource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final

_NAMES: Final = {
    "address_space": resource.RLIMIT_AS,
    "core": resource.RLIMIT_CORE,
    "cpu": resource.RLIMIT_CPU,
    "file_size": resource.RLIMIT_FSIZE,
    "open_files": resource.RLIMIT_NOFILE,
    "processes": resource.RLIMIT_NPROC,
}
_GRACE_S: Final = 5
_COUNTED_PER_NAMESPACE_SINCE: Final = (5, 14)


def restrict(limits: Mapping[str, int], *, own_user_namespace: bool) -> list[str]:
    """Set the limits for good and return the names of those in force.

    `processes` counts threads, too, and all that a user runs: it is set only where the count starts anew, in a user
    namespace of a kernel that counts by namespace. It never binds root.
    """
    wanted = dict(limits)
    if not (own_user_namespace and _kernel_version() >= _COUNTED_PER_NAMESPACE_SINCE):
        del wanted["processes"]
    return [name for name, bound in wanted.items() if _restrict(name, bound)]


def _restrict(name: str, bound: int) -> bool:
    """Lower one limit; one that the surroundings have set lower still stays as it is.

    The limit on processor time ends a process with a signal of its own first, so that it can be told from others.
    """
    hard = bound + _GRACE_S if name == "cpu" else bound
    _, ceiling = resource.getrlimit(_NAMES[name])
    if ceiling != resource.RLIM_INFINITY:
        bound, hard = min(bound, ceiling), min(hard, ceiling)
    try:
        resource.setrlimit(_NAMES[name], (bound, hard))
    except (OSError, ValueError):
        return False
    return True


def _kernel_version() -> tuple[int, int]:
    major, minor, *_ = os.uname().release.split(".")
    return int(major), int("".join(filter(str.isdigit, minor)) or 0)
