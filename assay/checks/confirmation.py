"""Check 6: a tool that requires confirmation waits for it.

Three things are proven of each such tool: it publishes the protocol's parameter; a call with the parameter false is
answered with the pending status and changes nothing; the same call without the parameter changes nothing either. The
call with false was run by check 5, with its chain before it, so its evidence is read and not made again. The call
without the parameter is run anew, after the same chain (ruling 36; `reference/validation.md` 7).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from assay.checks.case_failures import case_failure
from assay.checks.case_runs import case_steps
from assay.findings import Check, Finding, Severity, finding
from assay.oracle.evidence import CallTool, Episode, GetState, Reset
from assay.schema import argument_problems
from assay.schema.references import resolve
from assay.stages.context import episode_context
from assay.stages.results import ResultClass
from assay.values import same_value, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from assay.checks.case_groups import Grouping
    from assay.checks.case_runs import CaseRun
    from assay.config import RunConfig
    from assay.oracle.engine import Engine
    from assay.oracle.evidence import Evidence
    from assay.pack.model import Pack, Tool, ValidationCase
    from assay.values import JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class _Omission:
    """A probe without the confirmation parameter: the case it is made from, and what is sent."""

    tool: Tool
    case: ValidationCase
    arguments: JsonObject
    episode: Episode


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfirmationResult:
    """What check 6 found, and whether none of it rests on a deadline or a dead worker (ruling 40)."""

    findings: tuple[Finding, ...]
    final: bool = True


def check_confirmation(
    pack: Pack, config: RunConfig, engine: Engine, grouping: Grouping, runs: Sequence[CaseRun]
) -> ConfirmationResult:
    """Probe every tool that requires confirmation."""
    found: list[Finding] = []
    omissions: list[_Omission] = []
    by_case = {run.case.index: run for run in runs}
    for tool in pack.tools:
        if not tool.requires_confirmation:
            continue
        told, cases = _declared_probes(pack, tool)
        found.extend(told)
        found.extend(_unconfirmed(pack, tool, cases, by_case))
        omissions.extend(_omissions(pack, config, grouping, tool, cases[:1]))
    evidence = list(engine.run((each.episode for each in omissions), attempt=1))
    pairs = list(zip(omissions, evidence, strict=True))
    found.extend(each for omission, seen in pairs for each in _omitted(omission, seen))
    final = not any(seen.failure is not None and seen.failure.is_transient for seen in evidence)
    return ConfirmationResult(findings=tuple(found), final=final)


def _declared_probes(pack: Pack, tool: Tool) -> tuple[list[Finding], list[ValidationCase]]:
    """Return what the pack lacks for the probe, and the cases that call the tool without confirming, in file order."""
    parameter = pack.manifest.confirmation.parameter
    if not _publishes(tool.parameters, parameter):
        message = f"Tool {tool.name} requires confirmation, but its schema has no parameter `{parameter}`."
        place = tool.at.place("function", "parameters", "properties")
        return [
            finding("missing_confirm_param", message, at=place, tool=tool.name, detail={"parameter": parameter})
        ], []
    cases = [
        case
        for case in pack.cases
        if case.tool == tool.name and isinstance(case.arguments, dict) and case.arguments.get(parameter) is False
    ]
    if cases:
        return [], cases
    message = f"No validation case calls {tool.name} with `{parameter}: false`."
    return [finding("missing_confirm_false_case", message, at=tool.at.place(), tool=tool.name)], []


def _publishes(schema: JsonObject, parameter: str) -> bool:
    """Say whether a schema declares a parameter: at its top, in an `allOf` branch, or behind a local reference."""
    waiting, seen = [schema], {id(schema)}
    while waiting:
        node = waiting.pop()
        declared = node.get("properties")
        if isinstance(declared, dict) and parameter in declared:
            return True
        for below in _parts(schema, node):
            if id(below) not in seen:
                seen.add(id(below))
                waiting.append(below)
    return False


def _parts(root: JsonObject, node: JsonObject) -> Iterator[JsonObject]:
    """Yield the schemas that hold for the same value as a schema does."""
    target = resolve(root, node.get("$ref"))
    if target is not None:
        yield target.schema
    branches = node.get("allOf")
    yield from (each for each in (branches if isinstance(branches, list) else ()) if isinstance(each, dict))


def _unconfirmed(
    pack: Pack, tool: Tool, cases: Sequence[ValidationCase], by_case: Mapping[int, CaseRun]
) -> Iterator[Finding]:
    """Judge the unconfirmed calls of check 5: none may change the state, the first must be answered as pending."""
    protocol = pack.manifest.confirmation
    runs = [by_case[case.index] for case in cases if case.index in by_case]
    for position, run in enumerate(runs):
        about = f"Case {run.case.id} calls {tool.name} with `{protocol.parameter}: false`"
        if run.state_changed:
            yield _told(run.case, "confirm_false_mutated_state", f"{about} and the state changes.")
        pending = run.observed is ResultClass.AWAITING_CONFIRMATION
        if position == 0 and run.observed is not None and not pending:
            wanted = f"`{protocol.status_field}: {protocol.pending_status}`"
            message = f"{about} and is answered with {shown(run.result)} instead of {wanted}."
            yield _told(run.case, "confirm_false_bad_status", message)


def _omissions(
    pack: Pack, config: RunConfig, grouping: Grouping, tool: Tool, cases: Sequence[ValidationCase]
) -> Iterator[_Omission]:
    """Yield the probe that leaves the parameter out of a case's arguments."""
    parameter = pack.manifest.confirmation.parameter
    for case in cases:
        group = grouping.group_of(case)
        if group is None or not isinstance(case.arguments, dict):
            continue
        chain = case_steps(group.before(case))
        reset = (Reset(),) if case.reset_before else ()
        arguments = {name: value for name, value in case.arguments.items() if name != parameter}
        call = (GetState(), CallTool(tool.name, arguments), GetState())
        context = episode_context(pack, config, task_id=f"confirm_policy:{tool.name}", seed=config.random_seed)
        episode = Episode(context=context, steps=(*chain, *reset, *call))
        yield _Omission(tool=tool, case=case, arguments=arguments, episode=episode)


def _omitted(omission: _Omission, evidence: Evidence) -> Iterator[Finding]:
    case, tool = omission.case, omission.tool
    if evidence.failure is not None:
        yield _omission_failed(omission, evidence)
    elif evidence.completed and not same_value(evidence.results[-3], evidence.results[-1]):
        sent = shown(omission.arguments)
        message = f"Tool {tool.name} changes the state when called as in case {case.id} without confirmation: {sent}."
        yield _told(case, "confirm_omitted_mutated_state", message)


def _omission_failed(omission: _Omission, evidence: Evidence) -> Finding:
    """Tell that the probe broke down; only a warning where the schema forbids the call, so that no model makes it."""
    failure = evidence.failure
    assert failure is not None
    about = f"Case {omission.case.id} without the confirmation parameter"
    told = case_failure(failure, omission.case, Check.CONFIRMATION_POLICY, about)
    forbidden = bool(argument_problems(omission.tool.parameters, omission.arguments))
    return replace(told, severity=Severity.WARNING) if forbidden else told


def _told(case: ValidationCase, code: str, message: str) -> Finding:
    return finding(code, message, at=case.at.place(), case_id=case.id, tool=case.tool)
