"""From findings to a verdict: whole-pack checks, tier, report.

Gold means: the exact set of checks, each `pass`, and no error anywhere (ruling 34). A check fails when an error counts
against it; it is `skipped` when what it needs was not there; it passes only when it ran and found nothing.

Sources: `reference/validation.md` sections 4, 5 and 11; rulings 1, 2, 4 and 34.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from assay.checks.strength import Strength
from assay.findings import Check, Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

REPORT_SCHEMA_VERSION: Final = "1.0"

_NEEDS: Final[Mapping[Check, tuple[str, ...]]] = {
    Check.TEMPLATE_TOOL_NAMES: ("manifest", "templates", "tools"),
    Check.TEMPLATE_SLOT_SOURCES: ("manifest", "templates", "tools", "fixtures"),
    Check.BACKEND_SCHEMA_ALIGNMENT: ("manifest", "tools"),
    Check.ASSERTIONS_IMPORTABLE: ("manifest", "templates", "assertions"),
    Check.DECLARED_VALIDATION_CASES: ("manifest", "tools", "validation_cases", "fixtures"),
    Check.CONFIRMATION_POLICY: ("manifest", "tools", "validation_cases", "fixtures"),
    Check.REPRESENTATIVE_GENERATION_CONTRACT: ("manifest", "templates", "tools", "fixtures", "assertions"),
    Check.MUTATION_DECLARATION: ("manifest", "tools", "validation_cases", "fixtures"),
    Check.DETERMINISM_CHECK: ("manifest", "tools", "validation_cases", "fixtures"),
    Check.ERROR_SHAPE: ("manifest", "tools", "validation_cases", "fixtures"),
    Check.TIMEOUT_WIRING: ("manifest",),
    Check.GOLD_ISOLATION: ("manifest",),
}
_REPRESENTATIVE_NEEDS: Final = (
    Check.TEMPLATE_TOOL_NAMES,
    Check.TEMPLATE_SLOT_SOURCES,
    Check.BACKEND_SCHEMA_ALIGNMENT,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """One whole-pack check and what came of it.

    Attributes:
        status: `pass`, `fail` or `skipped`.
        reason: why it was skipped; None otherwise.
        findings: the findings that count against it, of any severity, in report order.
    """

    check: Check
    status: str
    reason: str | None
    findings: tuple[Finding, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the check as JSON; the seven have numbers for ids, the extra ones have texts."""
        number = str(self.check)
        return {
            "id": int(number) if number.isdigit() else number,
            "name": self.check.name.lower(),
            "status": self.status,
            "reason": self.reason,
            "findings": [each.to_json() for each in self.findings],
        }


def judge_checks(
    findings: Iterable[Finding], skipped: Mapping[Check, str], unusable: Iterable[str]
) -> tuple[CheckResult, ...]:
    """Decide every check.

    Args:
        findings: all findings, in report order.
        skipped: checks that could not run, with the reason.
        unusable: roles of files that could not be used (`manifest` when nothing could be loaded).
    """
    against: dict[Check, list[Finding]] = {check: [] for check in Check}
    for finding in findings:
        if finding.check is not None:
            against[finding.check].append(finding)
    failed = {check for check, found in against.items() if any(each.is_error for each in found)}
    missing = frozenset(unusable)
    results = []
    for check, found in against.items():
        reason = _skip_reason(check, skipped, missing, failed)
        status = "fail" if check in failed else "pass" if reason is None else "skipped"
        results.append(
            CheckResult(
                check=check, status=status, reason=reason if status == "skipped" else None, findings=tuple(found)
            )
        )
    return tuple(results)


def _skip_reason(
    check: Check, skipped: Mapping[Check, str], unusable: frozenset[str], failed: set[Check]
) -> str | None:
    absent = [role for role in _NEEDS[check] if role in unusable]
    if absent:
        return f"not run: {', '.join(absent)} could not be used"
    if check in skipped:
        return skipped[check]
    if check is Check.REPRESENTATIVE_GENERATION_CONTRACT:
        blocking = [str(each) for each in _REPRESENTATIVE_NEEDS if each in failed]
        if blocking:
            return f"not run in full: check {', '.join(blocking)} failed"
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The verdict on a pack and everything it rests on.

    Attributes:
        pack_id: with `pack_version` and `pack_fingerprint`: None when the pack could not be read so far.
        checks: all whole-pack checks, in order.
        findings: all findings, in report order.
        stats: counts of what the pack holds and of what was proven.
        isolation: protections that were in force.
        strength: whether the assertions would notice wrong evidence.
        held_out: what binding withheld and what the scan found; None when nothing was looked for, which is not the same
            as clean.
        artifacts: stage -> path of its artifact.
    """

    pack_id: str | None
    pack_version: str | None
    pack_fingerprint: str | None
    checks: tuple[CheckResult, ...]
    findings: tuple[Finding, ...]
    stats: Mapping[str, Any] = field(default_factory=dict)
    isolation: Mapping[str, Any] = field(default_factory=dict)
    modules: Mapping[str, str] = field(default_factory=dict)
    strength: Strength = field(default_factory=Strength)
    held_out: Mapping[str, Any] | None = None
    artifacts: Mapping[str, str] = field(default_factory=dict)

    @property
    def gold_eligible(self) -> bool:
        """Whether every check passed, nothing else is wrong, and there is something to be right about."""
        return (
            tuple(each.check for each in self.checks) == tuple(Check)
            and all(each.status == "pass" for each in self.checks)
            and not any(each.is_error for each in self.findings)
            and self.stats.get("n_templates", 0) > 0
            and self.stats.get("n_assertions", 0) > 0
        )

    @property
    def tier(self) -> str:
        """`gold`, `silver` (has templates and tools) or `prototype`."""
        if self.gold_eligible:
            return "gold"
        return "silver" if self.stats.get("n_templates", 0) and self.stats.get("n_tools", 0) else "prototype"

    @property
    def status(self) -> str:
        """`gold` or `not_gold`."""
        return "gold" if self.gold_eligible else "not_gold"

    @property
    def severities(self) -> dict[str, int]:
        """How many findings of each severity."""
        counted = Counter(str(each.severity) for each in self.findings)
        return {str(severity): counted[str(severity)] for severity in Severity}

    def to_json(self) -> dict[str, Any]:
        """Return the report as the one JSON object of the stable surface."""
        return {
            "schema_version": REPORT_SCHEMA_VERSION,
            "status": self.status,
            "pack_id": self.pack_id,
            "pack_version": self.pack_version,
            "pack_fingerprint": self.pack_fingerprint,
            "tier": self.tier,
            "gold_eligible": self.gold_eligible,
            "checks": [each.to_json() for each in self.checks],
            "findings": [{"id": each.id, **each.to_json()} for each in self.findings],
            "stats": dict(self.stats),
            "isolation": dict(self.isolation),
            "modules": dict(self.modules),
            "assertion_strength": self.strength.to_json(),
            "held_out": None if self.held_out is None else dict(self.held_out),
            "artifacts": dict(self.artifacts),
        }
