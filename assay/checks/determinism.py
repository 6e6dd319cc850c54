"""Check D1: the same case gives the same result and the same state when it is run again.

Check 5 ran every group once. Each is run a second time in a fresh worker, under the same context but with everything
changed that an oracle must not depend on (attempt 2, ruling 29), and every case is compared with its first run, not
just one per tool (ruling 37; `reference/validation.md` 9.2). A group whose first run ended early is repeated up to
there.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from assay.checks.case_failures import case_failure
from assay.checks.case_runs import group_episode, run_groups
from assay.checks.cases import SUCCESS
from assay.findings import Check, Finding, finding
from assay.stages.compare_review import CAUSES_IN_WORDS, FIXES
from assay.stages.divergence import cause_in_episode, difference_facts, differences_in_words, first_differences
from assay.values import path_text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from assay.checks.case_groups import CaseGroup
    from assay.checks.case_runs import CaseRun
    from assay.checks.cases import JudgedCase
    from assay.config import RunConfig
    from assay.oracle.engine import Engine
    from assay.pack.model import Pack

_MOST_CAUSES: Final = 3
"""Divergent groups whose cause is looked for by further runs; later ones are told without one."""


def repeat_groups(
    pack: Pack, config: RunConfig, engine: Engine, groups: Sequence[CaseGroup], runs: Sequence[CaseRun]
) -> tuple[CaseRun, ...]:
    """Run once more what came to its end the first time."""
    came_back = {run.case.index for run in runs if run.completed}
    again = (replace(group, cases=tuple(case for case in group.cases if case.index in came_back)) for group in groups)
    return run_groups(pack, config, engine, tuple(group for group in again if group.cases), attempt=2)


class Determinism:
    """Compares the two runs of every case. Within a chain, later divergences follow from the first."""

    def __init__(self, pack: Pack, config: RunConfig, engine: Engine, groups: Sequence[CaseGroup]) -> None:
        self._pack = pack
        self._config = config
        self._engine = engine
        self._groups = {group.index: group for group in groups}
        self._causes: dict[int, str] = {}
        self._first_in_group: dict[int, Finding] = {}

    def check(self, runs: Sequence[CaseRun], repeated: Sequence[CaseRun]) -> tuple[Finding, ...]:
        """Return what the second runs say, in file order."""
        first = {run.case.index: run for run in runs}
        return tuple(each for again in repeated for each in self._of_case(first[again.case.index], again))

    def _of_case(self, run: CaseRun, again: CaseRun) -> Iterator[Finding]:
        if again.failure is not None:
            about = f"Case {again.case.id} run a second time"
            yield case_failure(again.failure, again.case, Check.DETERMINISM_CHECK, about)
        elif again.completed:
            yield from self._divergence(run, again)

    def _divergence(self, run: CaseRun, again: CaseRun) -> Iterator[Finding]:
        parts = (("result", run.result, again.result), ("state", run.after, again.after))
        found = first_differences(parts)
        if not found:
            return
        cause = self._cause_of(run.group)
        facts = difference_facts(found)
        why = f"; it depends on {CAUSES_IN_WORDS[cause]}" if cause is not None else ""
        told = finding(
            "nondeterministic",
            f"Case {run.case.id} run twice differs {differences_in_words(facts)}{why}.",
            at=run.case.at.place(),
            fix=FIXES.get(cause or ""),
            case_id=run.case.id,
            tool=run.case.tool,
            detail={"cause": cause, "paths": [path_text(each.path) for each in found], "differences": [*facts]},
        )
        root = self._first_in_group.setdefault(run.group, told)
        yield told if root is told else told.following(root)

    def _cause_of(self, index: int) -> str | None:
        if index not in self._causes and len(self._causes) < _MOST_CAUSES:
            episode = group_episode(self._pack, self._config, self._groups[index])
            self._causes[index] = cause_in_episode(self._engine, episode)
        return self._causes.get(index)


def not_repeatable(
    pack: Pack, judged: Sequence[JudgedCase], excused: Collection[str], faults: Mapping[str, Finding]
) -> tuple[Finding, ...]:
    """Return one finding per tool without a successful case.

    Args:
        pack: the loaded pack.
        judged: the cases that were run.
        excused: tools that the oracle lacks.
        faults: tool -> the finding from which the lack follows.
    """
    shown_to_work = {each.run.case.tool for each in judged if each.covers == SUCCESS}
    told = []
    for tool in pack.tools:
        if tool.name in shown_to_work or tool.name in excused:
            continue
        message = f"Tool {tool.name} has no successful case that could be run a second time."
        each = finding("no_success_case_to_repeat", message, at=tool.at.place(), tool=tool.name)
        told.append(each.following(faults[tool.name]) if tool.name in faults else each)
    return tuple(told)
