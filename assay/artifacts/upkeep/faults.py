"""What can be wrong with a store, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class FaultKind:
    """One way in which a store is not as it should be.

    Attributes:
        harm: something is lost or wrong. What is merely left over takes space and does nothing else.
        fix: what to do.
    """

    harm: bool
    fix: str


_RECOMPUTE = "It counts as absent: the next run that needs it computes it again (`assay retry RUN`)."
_CLEAN = "Nothing needs it; `assay store clean` removes it."

FAULTS: Final[Mapping[str, FaultKind]] = {
    "unreadable_artifact": FaultKind(True, _RECOMPUTE),
    "wrong_name": FaultKind(True, _RECOMPUTE),
    "wrong_place": FaultKind(True, "Remove the file: it is never found there."),
    "wrong_key": FaultKind(True, "Remove the file: somebody changed what it says it was made from."),
    "missing_table": FaultKind(True, _RECOMPUTE),
    "damaged_table": FaultKind(True, _RECOMPUTE),
    "missing_artifact": FaultKind(True, "`assay retry RUN` computes it anew, if the pack is still what it was."),
    "damaged_record": FaultKind(True, "Restore it from a backup; without one, what it said of the run is lost."),
    "damaged_snapshot": FaultKind(True, "It is compared before use, and replaced by the next run of the pack."),
    "missing_snapshot": FaultKind(True, "Run the pack again (`assay retry RUN`): that takes a new one."),
    "damaged_modules": FaultKind(True, "Remove the file: the next run of the pack writes it anew."),
    "unchecked_snapshot": FaultKind(False, "The note beside it is missing; the next run of the pack writes it."),
    "broken_off_run": FaultKind(
        False, "Take it up with `assay retry RUN`, or let `assay store clean` remove it in time."
    ),
    "unused_table": FaultKind(False, _CLEAN),
    "temporary_file": FaultKind(False, _CLEAN),
    "unknown_file": FaultKind(False, "No part of a store: look at it, and move it elsewhere."),
}
"""Every kind, by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing that is wrong.

    Attributes:
        kind: a name in `FAULTS`.
        path: the file or folder, relative to the root.
        message: one sentence with the concrete values.
        run: the run that it concerns, when it concerns one.
    """

    kind: str
    path: str
    message: str
    run: str | None = None

    @property
    def harm(self) -> bool:
        """Something is lost or wrong."""
        return FAULTS[self.kind].harm

    @property
    def fix(self) -> str:
        """What to do."""
        return FAULTS[self.kind].fix.replace("RUN", self.run or "RUN")

    def to_json(self) -> dict[str, object]:
        """Return the fault as a JSON object."""
        return {
            "kind": self.kind,
            "severity": "error" if self.harm else "warning",
            "path": self.path,
            "message": self.message,
            "fix": self.fix,
            "run": self.run,
        }
