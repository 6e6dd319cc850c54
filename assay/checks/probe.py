"""Stage `probe`: the whole-pack checks that execute the pack's oracle and assertions module.

Checks 3 (the executed part), 4, 5 and 6, and M1, D1, D2, T1 and I1, in that order. Every check either runs or is
skipped with a reason (ruling 34). What can be proven is proven even so: when one tool's definition is faulty or its
implementation is missing, checks 5, 6, M1, D1 and D2 count as skipped, yet the cases of the other tools are run and
their faults are told (ruling 1).

Three workers serve all of it: one for every case and probe, one under other conditions for the second run, one for the
assertions module. T1 has its own, while the others work.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from assay.checks.assertion_module import check_assertion_module
from assay.checks.backend_surface import check_surface, no_oracle
from assay.checks.case_groups import group_cases
from assay.checks.case_runs import run_groups
from assay.checks.cases import SUCCESS, cases_empty, incomplete_coverage, judge_cases
from assay.checks.confirmation import check_confirmation
from assay.checks.determinism import Determinism, not_repeatable, repeat_groups
from assay.checks.error_shape import check_error_shape
from assay.checks.isolation import PROCESS, check_isolation
from assay.checks.mutation import check_mutation
from assay.checks.timeout import check_timeout
from assay.findings import Check, Severity
from assay.oracle.evidence import AssertionModule, BackendSurface

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from assay.checks.case_runs import CaseRun
    from assay.checks.cases import JudgedCase
    from assay.config import RunConfig
    from assay.findings import Finding
    from assay.oracle.engine import Engine
    from assay.pack.model import Pack
    from assay.stages.records import ProbeAttempt
    from assay.values import JsonValue

_AFTER_SURFACE: Final = (
    Check.DECLARED_VALIDATION_CASES,
    Check.CONFIRMATION_POLICY,
    Check.MUTATION_DECLARATION,
    Check.DETERMINISM_CHECK,
    Check.ERROR_SHAPE,
)
_CASES_NEED: Final = ("tools", "fixtures", "validation_cases")
_NO_SURFACE: Final = BackendSurface(callables={}, tools=None, failure=None, modules={})
_NO_MODULE: Final = AssertionModule(assertions={}, has_capabilities=False, failure=None, modules={})


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeResult:
    """What the probes showed.

    Attributes:
        attempts: one record per validation case and attempt, cases that were never reached included.
        surface: what the backend offers; empty when there is none.
        assertions: what the assertions module exports; empty when there is none.
        skipped: checks whose precondition failed -> why.
        counts: `n_assertions`, `n_case_groups`, `n_case_runs`.
        final: False when anything rests on a deadline or a dead worker (ruling 40).
    """

    attempts: tuple[ProbeAttempt, ...]
    surface: BackendSurface
    assertions: AssertionModule
    findings: tuple[Finding, ...]
    skipped: Mapping[Check, str]
    counts: Mapping[str, int]
    final: bool


def probe_pack(pack: Pack, engine: Engine, config: RunConfig, earlier: Iterable[Finding] = ()) -> ProbeResult:
    """Run every executed whole-pack check.

    Args:
        pack: the loaded pack.
        engine: runs pack code.
        config: the run config.
        earlier: findings of loading; faults of tool definitions among them are preconditions here (check 3).
    """
    probe = _Probe(pack, engine, config, [each for each in earlier if _is_surface_fault(each)])
    with ThreadPoolExecutor(max_workers=1) as aside:
        hung_call = aside.submit(check_timeout, engine) if config.worker == PROCESS else None
        probe.run()
        timeout_findings = () if hung_call is None else hung_call.result()
    if hung_call is None:
        probe.skipped[Check.TIMEOUT_WIRING] = "not run: deadlines are proven in processes only"
    return probe.result(timeout_findings, check_isolation(config))


def _is_surface_fault(found: Finding) -> bool:
    return found.is_error and found.check is Check.BACKEND_SCHEMA_ALIGNMENT


@dataclass(slots=True)
class _Probe:
    """The probes under way: what was seen and found so far."""

    pack: Pack
    engine: Engine
    config: RunConfig
    surface_faults: list[Finding]
    surface: BackendSurface = _NO_SURFACE
    assertions: AssertionModule = _NO_MODULE
    findings: list[Finding] = field(default_factory=list)
    skipped: dict[Check, str] = field(default_factory=dict)
    runs: tuple[CaseRun, ...] = ()
    repeated: tuple[CaseRun, ...] = ()
    groups: int = 0
    final: bool = True

    def run(self) -> None:
        usable = self._probe_surface()
        self._probe_assertions()
        if usable:
            self._probe_cases()

    def result(self, timeout: Sequence[Finding], isolation: Sequence[Finding]) -> ProbeResult:
        every_run = (*self.runs, *self.repeated)
        failures = [run.failure for run in every_run] + [self.surface.failure, self.assertions.failure]
        transient = any(failure is not None and failure.is_transient for failure in failures)
        return ProbeResult(
            attempts=tuple(run.to_record() for run in every_run),
            surface=self.surface,
            assertions=self.assertions,
            findings=(*self.findings, *timeout, *isolation),
            skipped=self.skipped,
            counts={
                "n_assertions": len(self.assertions.assertions),
                "n_case_groups": self.groups,
                "n_case_runs": len(every_run),
            },
            final=self.final and not transient and not timeout,
        )

    def _probe_surface(self) -> bool:
        """Check 3; say whether episodes can be run."""
        if not self.pack.has_usable("backend"):
            reason = "not run: the pack has no backend that could be used"
            self.skipped.update(dict.fromkeys((Check.BACKEND_SCHEMA_ALIGNMENT, *_AFTER_SURFACE), reason))
            if self.pack.paths.backend is None and "backend" not in self.pack.unusable:
                self.findings.append(no_oracle(self.pack))
            return False
        self.surface = self.engine.inspect_backend()
        found = check_surface(self.pack, self.surface)
        self.findings.extend(found)
        self.surface_faults.extend(each for each in found if each.is_error)
        if self.surface_faults:
            codes = ", ".join(sorted({each.code for each in self.surface_faults}))
            self.skipped.update(dict.fromkeys(_AFTER_SURFACE, f"not run in full: check 3 found {codes}"))
        return self.surface.failure is None and all(self.surface.callables.values())

    def _probe_assertions(self) -> None:
        file = self.pack.paths.assertions
        if file is None or not self.pack.has_usable("assertions"):
            self.skipped[Check.ASSERTIONS_IMPORTABLE] = "not run: the pack has no assertions module that could be used"
            return
        self.assertions = self.engine.inspect_assertions()
        self.findings.extend(check_assertion_module(self.pack, file, self.assertions))

    def _probe_cases(self) -> None:
        """Checks 5 and 6, M1, D1 and D2: everything that validation cases show."""
        absent = [role for role in _CASES_NEED if role in self.pack.unusable]
        if absent:
            self.skipped.update(dict.fromkeys(_AFTER_SURFACE, f"not run: {', '.join(absent)} could not be used"))
            return
        pack, config, engine = self.pack, self.config, self.engine
        lacking = {
            each.tool: each
            for each in self.surface_faults
            if each.code == "schema_without_implementation" and each.tool is not None
        }
        grouping = group_cases(pack, lacking)
        self.groups = len(grouping.groups)
        self.runs = run_groups(pack, config, engine, grouping.groups, attempt=1)
        judged = judge_cases(pack, self.runs, {each.tool for each in self.surface_faults if each.tool})
        cases = [*([] if pack.cases else [cases_empty(pack)]), *grouping.findings, *_own_findings(judged)]
        gaps = incomplete_coverage(pack, judged, lacking, _first_faults(cases))
        confirmation = check_confirmation(pack, config, engine, grouping, self.runs)
        self.repeated = repeat_groups(pack, config, engine, grouping.groups, self.runs)
        divergences = Determinism(pack, config, engine, grouping.groups).check(self.runs, self.repeated)
        faults = _first_faults([*cases, *gaps])
        self.final = confirmation.final
        found = (
            *cases,
            *gaps,
            *confirmation.findings,
            *check_mutation(pack, judged, lacking, faults),
            *divergences,
            *not_repeatable(pack, judged, lacking, _gaps_in_success(gaps)),
            *check_error_shape(self.runs, self.repeated, divergences),
        )
        self.findings.extend(map(self._weighed, found))

    def _weighed(self, found: Finding) -> Finding:
        """Make a mere remark of what follows from a fault of check 3: the checks after it count as skipped for that."""
        roots = {each.root or each.id for each in self.surface_faults}
        return replace(found, severity=Severity.NOTE) if found.root in roots else found


def _own_findings(judged: Sequence[JudgedCase]) -> list[Finding]:
    return [each for case in judged for each in case.findings]


def _first_faults(findings: Sequence[Finding]) -> dict[str, Finding]:
    """Return the first error about each tool."""
    first: dict[str, Finding] = {}
    for each in findings:
        if each.is_error and each.tool is not None:
            first.setdefault(each.tool, each)
    return first


def _gaps_in_success(gaps: Sequence[Finding]) -> dict[str, Finding]:
    """Return, per tool, the finding that it has no successful case."""
    return {each.tool: each for each in gaps if each.tool is not None and SUCCESS in _missing_sides(each)}


def _missing_sides(gap: Finding) -> list[JsonValue]:
    sides = (gap.detail or {}).get("missing")
    return sides if isinstance(sides, list) else []
