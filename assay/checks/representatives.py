"""Check 7 seen as a whole: what stopped a template's representative.

The stages say precisely what is wrong. Scripts written for the reference look for one summarising code per template; it
is added here, as a consequence of the first precise error, and folded away in reports for people.

Source: `reference/validation.md` 8.3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from assay.findings import Check, Finding, finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_SUMMARY_OF_STAGE: Final[Mapping[str, str]] = {
    "bind": "representative_generation_failed",
    "render": "representative_generation_failed",
    "trace": "representative_generation_failed",
    "schema_check": "representative_trace_schema_mismatch",
    "replay": "representative_replay_failed",
    "assert": "representative_replay_failed",
    "compare": "representative_replay_failed",
}


_OWN: Final = "representative_"
"""Codes that begin like this are summaries already."""
_RUN_WIDE: Final = ("category_budget_too_small",)
"""Codes that name a template, but are faults of the run as a whole (`reference/validation.md` 8.1)."""


def summarise_representatives(by_stage: Mapping[str, Iterable[Finding]]) -> tuple[Finding, ...]:
    """Return one summarising consequence per template that an error of check 7 stopped, and one for the run."""
    summaries: dict[str | None, Finding | None] = {}
    for stage, summary in _SUMMARY_OF_STAGE.items():
        for each in by_stage.get(stage, ()):
            concerned = each.is_error and each.check is Check.REPRESENTATIVE_GENERATION_CONTRACT
            template_id = None if each.code in _RUN_WIDE else each.template_id
            if concerned and template_id not in summaries:
                summaries[template_id] = None if each.code.startswith(_OWN) else _summary(summary, template_id, each)
    return tuple(each for each in summaries.values() if each is not None)


def _summary(code: str, template_id: str | None, root: Finding) -> Finding:
    if template_id is None:
        code = "run_contract_failed"
        message = f"the contract of the whole run is broken: {root.message}"
    else:
        message = f"the representative of {template_id} did not come through: {root.code}"
    return finding(code, message, at=root.place, template_id=template_id, detail={"reason": root.code}).following(root)
