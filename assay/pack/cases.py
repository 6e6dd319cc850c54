"""Validation cases: direct probes of the oracle (`reference/loading.md` 2.5, `reference/validation.md` 6.1).

Whether a tool exists, whether a chain has a head and what an expectation means is checked where cases are run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from assay.pack.fields import Fields
from assay.pack.model import ValidationCase
from assay.pack.wording import described, quoted, spot

if TYPE_CHECKING:
    from assay.pack.collector import Collector
    from assay.pack.document import Document

CASE_KEYS: Final = ("id", "tool", "arguments", "expect", "reset_before", "coverage", "notes")


def read_cases(document: Document, found: Collector) -> tuple[ValidationCase, ...] | None:
    """Return the cases in file order; None, reported, for no list at all. An empty document is an empty list.

    Only entries that are no mapping are left out: a case is part of a chain, so one with a fault keeps its position.
    """
    top = Fields(data={}, at=document.anchor(), found=found)
    if document.data is not None and not isinstance(document.data, list):
        top.wrong("a list of cases", document.data)
        return None
    cases = []
    first: dict[str, ValidationCase] = {}
    for index, item in enumerate(document.data or ()):
        case = _read_item(index, item, top)
        if case is None:
            continue
        earlier = first.setdefault(case.id, case)
        if earlier is not case:
            _report_repeated_id(earlier, case, found)
        cases.append(case)
    return tuple(cases)


def _report_repeated_id(earlier: ValidationCase, again: ValidationCase, found: Collector) -> None:
    where = earlier.at.place("id")
    message = f"The case id {quoted(again.id)} stands here and at {spot(where)}."
    found.add("duplicate_case_id", message, at=again.at.place("id"), case_id=again.id)


def _read_item(index: int, item: Any, top: Fields) -> ValidationCase | None:
    if not isinstance(item, dict):
        message = f"Case {index + 1} must be a mapping, but it is {described(item)}."
        top.report("wrong_type", message, index, detail={"expected": "a mapping", "got": described(item)})
        return None
    errors = top.found.errors
    fields = Fields(data=item, at=top.at[index], found=top.found)
    case_id = fields.identity("id") if fields.require("id") else None
    if case_id is not None:
        fields = Fields(data=item, at=fields.at, found=fields.found, concerns={"case_id": case_id})
    fields.check_keys(CASE_KEYS)
    expect = fields.below("expect", fields.mapping("expect"))
    expect.flag("state_unchanged", default=False)
    tool = fields.name("tool") if fields.require("tool") else None
    return ValidationCase(
        index=index,
        id=case_id or f"case@{index}",
        tool=tool or "",
        arguments={} if fields.get("arguments") is None else fields.get("arguments"),
        reset_before=fields.flag("reset_before", default=True),
        expect=expect.data,
        coverage=_coverage(fields),
        faulty=fields.found.errors > errors,
        at=fields.at,
    )


def _coverage(fields: Fields) -> str | None:
    value = fields.text("coverage")
    if value is not None and value != "negative":
        message = f"`coverage` has one meaning, `negative`; {quoted(value)} does nothing."
        fields.report("unknown_coverage", message, "coverage")
    return value
