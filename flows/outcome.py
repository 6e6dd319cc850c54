"""What came of a pack, and of each of its stages."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from flows.resuming import resume_command

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from assay.runner import RunRequest
    from flows.naming import PackName

Status: TypeAlias = Literal["gold", "not_gold", "error"]
StageStatus: TypeAlias = Literal["cached", "computed", "crashed"]

SEVERITY: Mapping[Status, int] = {"gold": 0, "not_gold": 1, "error": 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class StageOutcome:
    """What came of one stage.

    Attributes:
        seconds: time spent in this run: 0 when it came from the cache.
        error: for a crash, what went wrong.
    """

    stage: str
    status: StageStatus
    seconds: float
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PackOutcome:
    """What came of one pack.

    Attributes:
        name: what people call it.
        report: the report as JSON; None when there is no verdict.
        error: why there is no verdict; None when there is one.
        deadline_passed: whether that is the deadline of the pack.
        stages: stage -> its outcome, in the order in which they ended. A stage after one that crashed is missing.
        seconds: wall time from its first stage to its last.
    """

    request: RunRequest
    name: PackName
    report: Mapping[str, Any] | None
    error: str | None
    seconds: float
    deadline_passed: bool = False
    stages: Mapping[str, StageOutcome] = field(default_factory=dict)

    @property
    def status(self) -> Status:
        """`gold`, `not_gold`, or `error` when there is no verdict."""
        if self.report is None:
            return "error"
        return "gold" if self.report["status"] == "gold" else "not_gold"

    @property
    def run_id(self) -> str:
        """Name of the run in the ledger."""
        return self.request.run_id

    @property
    def resume(self) -> str | None:
        """The command that takes the run up again; None when it came to a verdict."""
        return None if self.report is not None else resume_command(self.run_id, self.request.root)

    @property
    def pack_id(self) -> str:
        """The pack's id; what people call it when it could not be read."""
        return str((self.report or {}).get("pack_id") or self.name.pack_id)

    @property
    def findings(self) -> list[Any]:
        """All findings, as the report has them."""
        return list((self.report or {}).get("findings") or [])

    @property
    def cached(self) -> int:
        """How many stages were served from the cache."""
        return sum(each.status == "cached" for each in self.stages.values())

    def counts(self, fact: str) -> dict[str, int]:
        """Count the findings by one of their facts: `severity` or `code`."""
        return dict(sorted(Counter(str(each[fact]) for each in self.findings).items()))

    def to_json(self) -> dict[str, Any]:
        """Return the entry of `summary.json`."""
        return {
            "pack": self.request.pack or self.request.config,
            "pack_id": self.pack_id,
            "status": self.status,
            "tier": (self.report or {}).get("tier"),
            "severities": self.counts("severity"),
            "codes": self.counts("code"),
            "error": self.error,
            "deadline_passed": self.deadline_passed,
            "run_id": self.run_id,
            "resume": self.resume,
            "seconds": round(self.seconds, 3),
            "cached_stages": self.cached,
            "computed_stages": sum(each.status == "computed" for each in self.stages.values()),
        }


def worst(outcomes: Iterable[PackOutcome]) -> Status:
    """Return the status of all packs together: that of the worst of them."""
    return max((each.status for each in outcomes), key=SEVERITY.__getitem__, default="gold")
