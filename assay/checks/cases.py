"""Check 5: every declared validation case comes out as expected, and together they cover every tool.

A case counts for at most one side: it shows that its tool works, or that its tool refuses. A case with any fault of its
own shows neither (ruling 35).

Source: `reference/validation.md` 6.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from assay.checks.case_failures import case_failure
from assay.checks.case_groups import not_run
from assay.checks.case_runs import arguments_sent
from assay.checks.expectations import expectation_remarks, unmet_expectations
from assay.checks.reserved_arguments import reserved_arguments
from assay.findings import Check, Finding, Place, finding
from assay.schema import argument_problems
from assay.stages.results import ResultClass
from assay.values import shown

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from assay.checks.case_runs import CaseRun
    from assay.oracle.evidence import Failure
    from assay.pack.model import Pack
    from assay.values import JsonObject

SUCCESS: Final = "success"
NEGATIVE: Final = "negative"
_SHARED_STEPS: Final = ("import", "reset", "get_state")
_BY_CLASS: Final = ("result_class_mismatch", "error_code_mismatch")


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedCase:
    """A case with what is to be said about its first attempt.

    Attributes:
        findings: its own faults, its remarks included.
        covers: `success` or `negative`: what it shows of its tool; None when it shows nothing.
    """

    run: CaseRun
    findings: tuple[Finding, ...]
    covers: str | None


def cases_empty(pack: Pack) -> Finding:
    """Return the finding about a pack without validation cases."""
    place = Place(pack.paths.validation_cases or pack.paths.manifest)
    return finding("validation_cases_empty", "The pack declares no validation cases.", at=place)


def judge_cases(pack: Pack, runs: Iterable[CaseRun], faulty_tools: Collection[str]) -> tuple[JudgedCase, ...]:
    """Judge the first attempt at every case that was run.

    Args:
        pack: the loaded pack.
        runs: the first attempts, in file order.
        faulty_tools: tools whose definition is faulty; arguments are not held against their schemas.
    """
    judge = _Judge(pack, faulty_tools)
    return tuple(judge.judged(run) for run in runs)


class _Judge:
    """Judges runs in file order; remembers what ended an episode, to tell what follows from it.

    Cases that end alike in the same line of pack code, or in a step that all of them share, have one root.
    """

    def __init__(self, pack: Pack, faulty_tools: Collection[str]) -> None:
        self._pack = pack
        self._faulty_tools = faulty_tools
        self._ended: dict[int, Finding] = {}
        self._shared: dict[tuple[str, str, Place | str], Finding] = {}

    def judged(self, run: CaseRun) -> JudgedCase:
        remarks = tuple(expectation_remarks(run.case))
        if run.observed is None or run.failure is not None:
            ended = self._ending(run, run.failure)
            return JudgedCase(run=run, findings=(*remarks, ended), covers=None)
        faults = tuple(self._faults(run))
        covers = None if any(each.is_error for each in (*remarks, *faults)) else _side(run)
        return JudgedCase(run=run, findings=(*remarks, *faults), covers=covers)

    def _ending(self, run: CaseRun, failure: Failure | None) -> Finding:
        """Tell that an episode ended in this case, or before it came to this case."""
        if failure is None:
            return not_run(run.case, self._ended[run.group])
        told = case_failure(failure, run.case, Check.DECLARED_VALIDATION_CASES, f"Case {run.case.id}")
        if failure.op in _SHARED_STEPS or failure.place is not None:
            root = self._shared.setdefault((failure.op, failure.kind, failure.place or failure.message), told)
            told = told if root is told else told.following(root)
        self._ended[run.group] = told
        return told

    def _faults(self, run: CaseRun) -> Iterator[Finding]:
        case, result = run.case, run.result
        if run.observed is ResultClass.NON_OBJECT or not isinstance(result, dict):
            yield _told(run, "non_object_result", f"Case {case.id} returned {shown(result)}, which is not an object.")
            return
        if run.observed is ResultClass.MALFORMED_ERROR:
            answer = shown(result)
            yield _told(run, "malformed_error", f"Case {case.id} returned {answer}, whose `error` is not an object.")
            return
        if run.observed is ResultClass.SUCCESS:
            yield from self._schema_mismatch(run)
        for each in unmet_expectations(
            case, result, run.observed or ResultClass.SUCCESS, state_changed=run.state_changed
        ):
            yield self._with_reserved_arguments(run, each)

    def _schema_mismatch(self, run: CaseRun) -> Iterator[Finding]:
        tool = self._pack.tool_named(run.case.tool)
        if tool is None or tool.name in self._faulty_tools:
            return
        arguments = {} if run.case.arguments is None else run.case.arguments
        problems = argument_problems(tool.parameters, arguments)
        if problems:
            first = problems[0]
            message = (
                f"Case {run.case.id} succeeds, but the schema of {tool.name} refuses its arguments: "
                f"{first['reason']} at {first['argument']}."
            )
            place = run.case.at.place("arguments")
            detail: JsonObject = {"failures": [*problems]}
            yield _told(run, "successful_validation_case_schema_mismatch", message, place, detail)

    def _with_reserved_arguments(self, run: CaseRun, told: Finding) -> Finding:
        """Add, to a refusal that nobody expected, which arguments name rows that are kept from the oracle."""
        found = reserved_arguments(self._pack, run) if told.code in _BY_CLASS else []
        if not found:
            return told
        return replace(told, detail={**(told.detail or {}), "held_out_fixture_arguments": [*found]})


def _side(run: CaseRun) -> str:
    """Say what a sound case shows: what it is marked for, else what was observed."""
    return SUCCESS if run.observed is ResultClass.SUCCESS and run.case.coverage != NEGATIVE else NEGATIVE


def _told(
    run: CaseRun, code: str, message: str, place: Place | None = None, detail: JsonObject | None = None
) -> Finding:
    return finding(
        code,
        message,
        at=place or run.case.at.place(),
        check=Check.DECLARED_VALIDATION_CASES,
        case_id=run.case.id,
        tool=run.case.tool,
        detail=detail or {"arguments": shown(arguments_sent(run.case), 1000)},
    )


def incomplete_coverage(
    pack: Pack, judged: Iterable[JudgedCase], excused: Collection[str], faults: Mapping[str, Finding]
) -> tuple[Finding, ...]:
    """Return one finding per tool that lacks a side.

    Args:
        pack: the loaded pack.
        judged: the cases that were run.
        excused: tools that the oracle lacks.
        faults: tool -> the first error among its cases, from which the gap follows.
    """
    covered: dict[str, set[str]] = {}
    for each in judged:
        if each.covers is not None:
            covered.setdefault(each.run.case.tool, set()).add(each.covers)
    return tuple(
        _gap(pack, name, missing, faults.get(name))
        for name in (tool.name for tool in pack.tools if tool.name not in excused)
        if (missing := sorted({SUCCESS, NEGATIVE} - covered.get(name, set())))
    )


def _gap(pack: Pack, name: str, missing: list[str], fault: Finding | None) -> Finding:
    tool = pack.tool_named(name)
    told = finding(
        "incomplete_validation_coverage",
        f"Tool {name} has no {' and no '.join(missing)} case that came out as expected.",
        at=None if tool is None else tool.at.place(),
        tool=name,
        detail={"missing": list(missing)},
    )
    return told if fault is None else told.following(fault)
