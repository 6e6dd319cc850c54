"""Root and consequence across stages.

Each stage links what it can see. Some faults show in several stages that do not know each other: a module that cannot
be imported stops the probes and the judging, a tool that is missing breaks templates and cases. Here, where all
findings are together, later ones are hung under the first. What is told twice to the letter is told once.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from assay.findings import Finding

_MISSING_TOOL: Final = frozenset({"missing_tool", "schema_without_implementation"})
_UNUSABLE_ASSERTION: Final = frozenset({"missing_assertion", "invalid_signature"})
_ENDED_EARLY: Final = frozenset(
    {
        "bad_worker_reply",
        "episode_timeout",
        "executable_replay_failed",
        "import_timeout",
        "list_tools_failed",
        "non_json_result",
        "raised",
        "reset_timeout",
        "result_too_large",
        "tool_timeout",
        "worker_died",
    }
)


def link_findings(by_stage: Mapping[str, Iterable[Finding]]) -> dict[str, tuple[Finding, ...]]:
    """Return the findings of all stages, each once, with consequences under their roots.

    Args:
        by_stage: stage -> its findings, in the order of the pipeline.
    """
    seen: dict[str, Finding] = {}
    linked: dict[str, list[Finding]] = {stage: [] for stage in by_stage}
    for stage, found in by_stage.items():
        for each in found:
            if each.id not in seen:
                seen[each.id] = each if each.root is not None else _hung_under(each, seen.values())
                linked[stage].append(seen[each.id])
    return {stage: tuple(_at_the_root(each, seen) for each in found) for stage, found in linked.items()}


def _hung_under(finding: Finding, earlier: Iterable[Finding]) -> Finding:
    """Return the finding as a consequence of the first earlier one that explains it, or as it is."""
    explains = next(_explanations(finding), None)
    root = None if explains is None else next((each for each in earlier if explains(each)), None)
    return finding if root is None else finding.following(root)


def _explanations(finding: Finding) -> Iterator[Callable[[Finding], bool]]:
    """Yield what an earlier finding must be to explain this one."""
    if finding.code == "unknown_tool":
        yield lambda earlier: earlier.code == "missing_tool" and earlier.tool == finding.tool
    elif finding.code == "expected_call_failed":
        yield lambda earlier: earlier.code in _MISSING_TOOL and earlier.tool == finding.tool
    elif finding.code == "assertion_infrastructure_error":
        yield lambda earlier: earlier.code in _UNUSABLE_ASSERTION and earlier.assertion == finding.assertion
    elif finding.code in _ENDED_EARLY and finding.place is not None:
        yield lambda earlier: earlier.code in _ENDED_EARLY and earlier.place == finding.place


def _at_the_root(finding: Finding, by_id: Mapping[str, Finding]) -> Finding:
    """Return the finding with its root at the top: the root of a root may have become a consequence itself."""
    root = finding.root
    passed = {finding.id}
    while root is not None and root in by_id and root not in passed and by_id[root].root is not None:
        passed.add(root)
        root = by_id[root].root
    return finding if root == finding.root else replace(finding, root=root)
