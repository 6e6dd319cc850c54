"""What a worker gives up before it loads a pack, and an honest list of what it has given up.

Each step stands alone: where the kernel, a container or the settings do not allow one, the others still hold, and the
list says why it is missing. Nothing is assumed (ruling 28). The order matters: mounts before Landlock, which pins
folders; privileges before the filter that refuses to change them.
"""

from __future__ import annotations

import os

from . import kernel, landlock, namespaces, resource_limits, seccomp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Final

SYSTEM_FILES: Final = (
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/usr/share/locale",
    "/usr/share/zoneinfo",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/dev/urandom",
    "/dev/zero",
)
"""What an interpreter and its extension modules read besides their own folders: libraries, time zones, randomness."""

_STEPS: Final = ("namespaces", "private_mounts", "landlock", "privileges_dropped", "seccomp", "no_new_privileges")


class Confinement:
    """Applies the steps to this process and records what became of each.

    Args:
        wanted: which of `namespaces`, `landlock` and `seccomp` to try, and whether further `processes` may start.
        scratch: the folder that this worker may write in; belongs to it alone.
        mount_point: a folder that a memory file system may hide, for this process only; None when there is none.
        lifeline: the descriptor by which this process dies with ours; pack code must not close it.
    """

    def __init__(self, wanted: Mapping[str, bool], scratch: str, mount_point: str | None, lifeline: int) -> None:
        self._wanted = wanted
        self._lifeline = lifeline
        self._mount_point = mount_point
        self.scratch = scratch
        self.protections: dict[str, Any] = dict.fromkeys(_STEPS, False) | {"landlock_abi": 0}
        self.unavailable: dict[str, str] = {}

    def apply(self, limits: Mapping[str, int], scratch_bytes: int, readable: Sequence[str]) -> None:
        """Take every step that can be taken."""
        inside = self._try("namespaces", namespaces.enter)
        mounted = inside and self._mount(scratch_bytes)
        os.chdir(self.scratch)
        user_namespace = inside and os.geteuid() != 0
        self.protections["resource_limits"] = resource_limits.restrict(limits, own_user_namespace=user_namespace)
        unprivileged = self._try("no_new_privileges", lambda: kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1))
        files = unprivileged and self._try("landlock", lambda: self._restrict_files(readable))
        self._try("privileges_dropped", namespaces.drop_capabilities)
        filtered = unprivileged and self._filter(file_facts=mounted)
        self._conclude(inside=inside, mounted=mounted, files=files, filtered=filtered)

    def _mount(self, scratch_bytes: int) -> bool:
        folder = self._mount_point
        if folder is None:
            self.unavailable["private_mounts"] = "no folder to mount on"
            return False
        if not self._try("private_mounts", lambda: namespaces.mount_scratch(folder, scratch_bytes)):
            return False
        self.scratch = folder
        return True

    def _restrict_files(self, readable: Sequence[str]) -> None:
        self.protections["landlock_abi"] = landlock.restrict((*SYSTEM_FILES, *readable), (self.scratch, "/dev/null"))

    def _filter(self, *, file_facts: bool) -> bool:
        processes = self._wanted["processes"]
        if processes:
            self._try("subreaper", lambda: kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 1))
        return self._try("seccomp", lambda: seccomp.install(self._lifeline, processes=processes, file_facts=file_facts))

    def _conclude(self, *, inside: bool, mounted: bool, files: bool, filtered: bool) -> None:
        """Say what the steps amount to."""
        self.protections |= {
            "network": "none" if inside or filtered else "host",
            "files": "snapshot" if files else ("read-only" if mounted else "host"),
            "new_processes": "refused" if filtered and not self._wanted["processes"] else "allowed",
            "unavailable": self.unavailable,
        }

    def _try(self, name: str, step: Callable[[], None]) -> bool:
        """Take a step and record whether it is in force."""
        in_force = False
        if not self._wanted.get(name, True):
            self.unavailable[name] = "switched off"
        else:
            try:
                step()
                in_force = True
            except (OSError, AttributeError, seccomp.Unsupported) as problem:
                self.unavailable[name] = _reason(problem)
        self.protections[name] = in_force
        return in_force


def _reason(problem: Exception) -> str:
    """Say why a step could not be taken; AttributeError means that the C library of this system has no such call."""
    if isinstance(problem, OSError):
        return problem.strerror or "refused"
    return str(problem) if isinstance(problem, seccomp.Unsupported) else "not offered by this system"
