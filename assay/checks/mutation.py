"""Check M1: tools change state exactly where they declare it.

Read off the evidence of check 5 (`reference/validation.md` 9.1).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.checks.cases import SUCCESS
from assay.findings import Finding, Place, finding

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from assay.checks.cases import JudgedCase
    from assay.pack.model import Pack, Tool


def check_mutation(
    pack: Pack, judged: Sequence[JudgedCase], excused: Collection[str], faults: Mapping[str, Finding]
) -> tuple[Finding, ...]:
    """Hold what the cases changed against what the tools declare.

    Args:
        pack: the loaded pack.
        judged: the cases that were run.
        excused: tools that the oracle lacks.
        faults: tool -> the first error among its cases, from which a missing observation follows.
    """
    tools = (tool for tool in pack.tools if tool.name not in excused)
    return tuple(each for tool in tools for each in _of_tool(tool, judged, faults.get(tool.name)))


def _of_tool(tool: Tool, judged: Sequence[JudgedCase], fault: Finding | None) -> Iterator[Finding]:
    mine = [each for each in judged if each.run.case.tool == tool.name]
    changing = [each.run.case.id for each in mine if each.run.state_changed]
    successful = [each for each in mine if each.covers == SUCCESS]
    if changing and not tool.mutates:
        yield finding(
            "undeclared_mutation",
            f"Tool {tool.name} does not declare `x-mutates`, but changes the state in {', '.join(changing)}.",
            at=tool.at.place(),
            tool=tool.name,
            case_id=changing[0],
            detail={"cases": list(changing)},
        )
    if tool.mutates and not any(each.run.state_changed for each in successful):
        names = [each.run.case.id for each in successful]
        told = finding(
            "declared_mutation_not_observed",
            f"Tool {tool.name} declares `x-mutates`, but no successful case of it changes the state "
            f"({', '.join(names) or 'there is none'}).",
            at=_flag_place(tool),
            tool=tool.name,
            detail={"successful_cases": list(names)},
        )
        yield told if fault is None else told.following(fault)


def _flag_place(tool: Tool) -> Place:
    """Return the place of `x-mutates`, which may stand beside `function` or in it."""
    return tool.at.place("x-mutates") if "x-mutates" in tool.definition else tool.at.place("function", "x-mutates")
