"""Consequences across stages: what a later stage reports because of what an earlier one has found already.

Each stage marks its own consequences; the findings of different stages meet only here. A finding follows from another

* as a failure in the same line of pack code: the first case or call that raises there is the root of the others;
* as a failed import, or a missing callable, that check 3 has told;
* as an assertion that gave no verdict because check 4 says that it is missing or cannot be called;
* as a failing call of a tool that the oracle lacks;
* as a case that calls a tool which a template has been found to miss;
* as an assertion that failed in replays that diverge;
* as a field that is missing because its name is misspelt;
* as a conversation that breaks its policy because nobody knows which slot it withholds;
* as a slot that cannot be bound because of a primary key that loading has complained of.

Roots stay in place; what two stages tell to the letter is told once.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from assay.findings import Check

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

    from assay.findings import Finding

    Key = Callable[[Finding], Hashable]

_CONTRACT: Final = Check.REPRESENTATIVE_GENERATION_CONTRACT
_NO_VERDICT: Final = "assertion_infrastructure_error"
_OUTCOMES: Final = ("assertion_failed", "assertion_not_applicable", _NO_VERDICT)
_UNCALLABLE: Final = ("missing_assertion", "invalid_signature")
_MISSING_FIELD: Final[Mapping[str, str | None]] = {
    "missing_field": None,
    "slot_missing_visibility_flag": "visible_in_first_turn",
    "template_without_success_assertion": "success_assertions",
}
"""Code of a finding about a field that is not there -> that field; None where the detail names it."""
_PRIMARY_KEY: Final = ("primary_key_ambiguous", "fixture_row_missing_primary_key")
_UNINSPECTED: Final = ("list_tools_failed", "import_timeout", "worker_died")


def link_stages(by_stage: Mapping[str, Iterable[Finding]]) -> dict[str, tuple[Finding, ...]]:
    """Return the findings of all stages, each once, consequences between stages marked.

    Args:
        by_stage: stage -> its findings, in the order of the pipeline.
    """
    first_told: dict[str, tuple[str, Finding]] = {}
    for stage, found in by_stage.items():
        for each in found:
            first_told.setdefault(each.id, (stage, each))
    stages = [stage for stage, _ in first_told.values()]
    linked = link_across_stages([each for _, each in first_told.values()])
    return {
        stage: tuple(each for home, each in zip(stages, linked, strict=True) if home == stage) for stage in by_stage
    }


def link_across_stages(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Return the findings in the same order, each that follows from another stage's marked as such."""
    roots: dict[Hashable, Finding] = {}
    for each in findings:
        if each.root is None and each.is_error:
            for key in _root_keys(each):
                roots.setdefault(key, each)
    linked = [_linked(each, roots) for each in findings]
    moved = {before.id: after.root for before, after in zip(findings, linked, strict=True) if before.root != after.root}
    return tuple(replace(each, root=moved[each.root]) if each.root in moved else each for each in linked)


def _linked(found: Finding, roots: dict[Hashable, Finding]) -> Finding:
    if found.root is not None:
        return found
    for key in _consequence_keys(found):
        root = roots.get(key)
        if root is not None and root.id != found.id:
            return found.following(root)
    return found


def _root_keys(found: Finding) -> Iterable[Hashable]:
    """Yield what other findings may know this one by."""
    if found.check is Check.BACKEND_SCHEMA_ALIGNMENT:
        if found.code in _UNINSPECTED:
            yield "no oracle"
        elif found.code == "missing_backend_symbol":
            yield "no callable", (found.detail or {}).get("symbol")
        elif found.code == "schema_without_implementation":
            yield "no tool", found.tool
    if found.code == "missing_tool":
        yield "undeclared tool", found.tool
    if found.code == "slot_missing_visibility_flag":
        yield "withheld or not", found.template_id
    if found.code == "unknown_key":
        yield _as_field(found, (found.detail or {}).get("meant"))
    if found.code in _UNCALLABLE:
        yield "no assertion", found.assertion
    if found.code in _PRIMARY_KEY and found.slot is None:
        yield found.code, (found.detail or {}).get("collection")
    if found.code == "nondeterministic_replay":
        yield "divergence", found.template_id
    if _failure_kind(found) is not None and found.place is not None:
        yield "failure", _failure_kind(found), found.place


def _as_field(found: Finding, field: object) -> Hashable:
    """Return what a field is known by: its name in the thing that the finding concerns."""
    file = None if found.place is None else found.place.file
    return "field", file, found.template_id, found.slot, found.case_id, field


def _consequence_keys(found: Finding) -> Iterable[Hashable]:
    """Yield by what a root of this finding would be known, the most telling first."""
    kind = _failure_kind(found)
    if kind is not None and found.check is not Check.BACKEND_SCHEMA_ALIGNMENT:
        operation = (found.detail or {}).get("op")
        if operation == "import":
            yield "no oracle"
        yield "no callable", operation
        yield "failure", kind, found.place
    if found.check is _CONTRACT and found.tool is not None:
        yield "no tool", found.tool
    if found.code == "invalid_conversation_plan":
        yield "withheld or not", found.template_id
    if found.code in _MISSING_FIELD:
        yield _as_field(found, _MISSING_FIELD[found.code] or (found.detail or {}).get("field"))
    if found.code == "unknown_tool":
        yield "undeclared tool", found.tool
    if found.code == _NO_VERDICT:
        yield "no assertion", found.assertion
    if found.code in _PRIMARY_KEY and found.slot is not None:
        yield found.code, (found.detail or {}).get("collection")
    if found.code in _OUTCOMES:
        yield "divergence", found.template_id


def _failure_kind(found: Finding) -> str | None:
    """Return how pack code failed, for a finding about that; None for any other finding."""
    detail = found.detail or {}
    kind = detail.get("kind")
    return kind if isinstance(kind, str) and "op" in detail else None
