"""Validation cases in groups: what runs between one reset and the next.

A case that resets opens a group, one that does not goes on in the group before it. A case that cannot be run breaks its
chain: the cases chained onto it would meet another state than their author meant, so they are not run either.

Source: `reference/validation.md` 6.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING

from assay.findings import Check, Finding, finding
from assay.findings.spelling import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.pack.model import Pack, ValidationCase


class _Chain(Enum):
    """What a case that does not reset would go on from."""

    NONE = auto()
    OPEN = auto()
    BROKEN = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseGroup:
    """Cases that run in one episode. Only the first resets."""

    index: int
    cases: tuple[ValidationCase, ...]

    def before(self, case: ValidationCase) -> tuple[ValidationCase, ...]:
        """Return the chain that leads up to a case of this group, without it."""
        return tuple(each for each in self.cases if each.index < case.index)


@dataclass(frozen=True, slots=True, kw_only=True)
class Grouping:
    """All groups, and what is wrong with cases that stand in none."""

    groups: tuple[CaseGroup, ...]
    findings: tuple[Finding, ...]

    def group_of(self, case: ValidationCase) -> CaseGroup | None:
        """Return the group in which a case runs, None when it is not run."""
        return next((group for group in self.groups if any(each.index == case.index for each in group.cases)), None)


def group_cases(pack: Pack, unimplemented: Mapping[str, Finding]) -> Grouping:
    """Put the pack's cases into groups.

    Args:
        pack: the loaded pack.
        unimplemented: tool -> the finding that says that the oracle lacks it; its cases are not run.
    """
    groups: list[list[ValidationCase]] = []
    findings: list[Finding] = []
    chain = _Chain.NONE
    broken_by: Finding | None = None
    for case in pack.cases:
        trouble = unimplemented.get(case.tool) or _unknown_tool(pack, case)
        if trouble is not None or not case.tool:
            findings.extend([] if trouble is None or case.tool in unimplemented else [trouble])
            chain, broken_by = _Chain.BROKEN, trouble
        elif case.reset_before:
            groups.append([case])
            chain = _Chain.OPEN
        elif chain is _Chain.OPEN:
            groups[-1].append(case)
        elif chain is _Chain.BROKEN:
            findings.append(not_run(case, broken_by))
        else:
            findings.append(_without_predecessor(case))
    return Grouping(
        groups=tuple(CaseGroup(index=index, cases=tuple(cases)) for index, cases in enumerate(groups)),
        findings=tuple(findings),
    )


def not_run(case: ValidationCase, root: Finding | None) -> Finding:
    """Return the finding about a case whose chain broke before it, and by what if that is known."""
    told = finding(
        "case_not_run",
        f"Case {case.id} was not run, because its chain broke before it.",
        at=case.at.place(),
        case_id=case.id,
        tool=case.tool,
    )
    return told if root is None else told.following(root)


def _unknown_tool(pack: Pack, case: ValidationCase) -> Finding | None:
    """Return the finding about a case of an undeclared tool; a case that names none was reported at loading."""
    if not case.tool or pack.tool_named(case.tool) is not None:
        return None
    hint = did_you_mean(case.tool, [tool.name for tool in pack.tools])
    return finding(
        "unknown_tool",
        f"Case {case.id} calls `{case.tool}`, which is no declared tool.{hint}",
        at=case.at.place("tool"),
        check=Check.DECLARED_VALIDATION_CASES,
        case_id=case.id,
        tool=case.tool,
    )


def _without_predecessor(case: ValidationCase) -> Finding:
    return finding(
        "reset_before_false_without_predecessor",
        f"Case {case.id} does not reset, but no case stands before it to go on from.",
        at=case.at.place("reset_before"),
        case_id=case.id,
        tool=case.tool,
    )
