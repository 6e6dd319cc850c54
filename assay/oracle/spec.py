"""What an engine is told about an oracle, and what a worker is told about its work."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from assay.oracle.limits import Limits

if TYPE_CHECKING:
    from pathlib import Path

    from assay.oracle.conditions import Conditions
    from assay.values import JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Confinement:
    """Which of the protections that depend on the kernel to try. All of them, unless there is a reason.

    Attributes:
        namespaces: no network, read-only mounts, a scratch file system of its own.
        landlock: no file but the snapshot, the interpreter and the scratch folder.
        seccomp: no new processes, no sockets, no reaching into other processes.
        processes: let pack code start processes (not programs). Their end is then a matter of finding them.
    """

    namespaces: bool = True
    landlock: bool = True
    seccomp: bool = True
    processes: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class OracleSpec:
    """Everything an engine needs to run a pack's code.

    Attributes:
        root: the read-only snapshot folder, without what the oracle must not see.
        backend: the backend's file, relative to the root; None for a pack without one.
        assertions: the assertions' file, likewise.
        fixtures: what `reset` hands to the backend: the fixtures without rows withheld from it; None without fixtures.
        clock: the run's frozen clock, for calls that belong to no episode of the pack.
    """

    root: Path
    backend: str | None
    assertions: str | None
    fixtures: JsonObject | None
    limits: Limits = field(default_factory=Limits)
    clock: str = "2026-01-01T00:00:00+00:00"
    confinement: Confinement = field(default_factory=Confinement)


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """What one worker is started for.

    Attributes:
        role: `backend` or `assertions`.
        root: the folder that the worker may read.
        file: the module to import, relative to the root.
        fixtures: the fixtures as JSON text.
        inspects: it will be asked for the module's exports.
    """

    role: str
    root: Path
    file: str
    fixtures: str
    conditions: Conditions
    limits: Limits
    confinement: Confinement
    inspects: bool = False
