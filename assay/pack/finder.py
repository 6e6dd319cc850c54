"""From a slot's source to its candidates, over one pack.

Each distinct (source, filter) pair is evaluated once, however many templates use it; its findings are then placed at
the slot that asked. Every fault is found that can be: a broken filter does not hide an unknown collection. Ranges are
never listed; their candidates are made when asked for.

Codes and their triggers: `reference/validation.md` 5.2; values that JSON cannot carry are `invalid_source`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.findings import Severity, finding
from assay.findings.spelling import did_you_mean
from assay.pack.candidates import Candidate, Outcome, Pool, RangeCandidates
from assay.pack.filters import FilterError, parse_filter
from assay.pack.fixture_rows import FixtureReading
from assay.pack.fixtures import Collections
from assay.pack.sources import (
    AbsentSource,
    EnumSource,
    FixtureSource,
    LiteralSource,
    RangeSource,
    SourceError,
    parse_source,
    split_source,
)
from assay.values import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.findings import Finding
    from assay.pack.candidates import Fault
    from assay.pack.filters import Filter
    from assay.pack.model import Pack, SlotSource
    from assay.pack.sources import Source
    from assay.values import JsonValue


class CandidateFinder:
    """Evaluates the sources of one pack.

    Attributes:
        collections: the pack's fixture collections and their keys.
    """

    def __init__(self, pack: Pack) -> None:
        known = "fixtures" not in pack.unusable
        self.collections = Collections(pack.fixtures, pack.fixtures_at, pack.manifest.primary_keys, known)
        self._pack = pack
        self._key_roots: dict[str | None, Finding] = {}
        self._outcomes: dict[tuple[str, str | None], Outcome] = {}

    def find(self, source: SlotSource, *, template_id: str, replacement: bool = False) -> Pool:
        """Return what a source offers.

        Args:
            source: of a slot, or of one entry of a turn's `slot_updates`.
            template_id: the template it stands in.
            replacement: it is an entry of `slot_updates`; a missing source is then `invalid_slot_update`.
        """
        outcome = self._outcome(source, replacement)
        findings = [self._placed(fault, source, template_id, outcome.collection) for fault in outcome.faults]
        return Pool(
            kind=outcome.kind,
            candidates=outcome.candidates,
            repeated=outcome.repeated,
            collection=outcome.collection,
            key=outcome.key,
            known=outcome.known,
            findings=tuple(findings),
        )

    def _placed(self, fault: Fault, source: SlotSource, template_id: str, collection: str | None) -> Finding:
        """Make the finding of a fault. A key that cannot be told is one fault, however many slots bind its rows."""
        found = finding(
            fault.code,
            fault.message,
            at=source.at.place(fault.about),
            severity=fault.severity,
            template_id=template_id,
            slot=source.slot,
            detail=fault.detail,
        )
        if fault.code != "primary_key_ambiguous":
            return found
        root = self._key_roots.setdefault(collection, found)
        return found if root is found else found.following(root)

    def _outcome(self, source: SlotSource, replacement: bool) -> Outcome:
        if not isinstance(source.source, str) or not source.source:
            return _no_text(source, replacement)
        if source.filter is not None and not isinstance(source.filter, str):
            return self._evaluate(source.source, source.filter)
        asked = (source.source, source.filter)
        if asked not in self._outcomes:
            self._outcomes[asked] = self._evaluate(*asked)
        return self._outcomes[asked]

    def _evaluate(self, text: str, filter_value: Any) -> Outcome:
        outcome = Outcome(kind=split_source(text)[0])
        row_filter = _read_filter(filter_value, outcome)
        try:
            source = parse_source(text)
        except SourceError as error:
            outcome.add(error.code, str(error))
            return outcome
        self._collect(source, row_filter, outcome)
        return outcome

    def _collect(self, source: Source, row_filter: Filter | None, outcome: Outcome) -> None:
        """Fill in the candidates of a source."""
        match source:
            case FixtureSource():
                FixtureReading(self.collections, source, row_filter, outcome).read()
            case EnumSource():
                self._collect_enum(source, outcome)
            case LiteralSource():
                outcome.settle([Candidate(value) for value in source.values])
            case AbsentSource():
                self._collect_absent(source, outcome)
            case RangeSource():
                _collect_range(source, outcome)

    def _collect_enum(self, source: EnumSource, outcome: Outcome) -> None:
        outcome.known = "tools" not in self._pack.unusable
        if not outcome.known:
            return
        try:
            values = _enum_values(self._pack, source)
        except LookupError as error:
            outcome.add("enum_missing", str(error.args[0]))
            return
        outcome.settle([Candidate(value) for value in values])

    def _collect_absent(self, source: AbsentSource, outcome: Outcome) -> None:
        declared: Mapping[str, Any] = self._pack.manifest.absent_ids
        ids = declared.get(source.collection, ())
        if not ids:
            hint = did_you_mean(source.collection, declared)
            outcome.add("invalid_source", f"The manifest declares no `absent_ids.{source.collection}`.{hint}")
        outcome.settle([Candidate(value) for value in ids])


def _no_text(source: SlotSource, replacement: bool) -> Outcome:
    """Report a source that is absent, empty or no text at all."""
    outcome = Outcome(kind=None)
    if source.source:
        outcome.add("invalid_source", f"The source of `{source.slot}` is a text, not {shown(source.source)}.")
    elif replacement:
        outcome.add("invalid_slot_update", f"The replacement of `{source.slot}` has no `source`.")
    else:
        outcome.add("missing_source", f"The slot `{source.slot}` has no `source`.")
    return outcome


def _read_filter(value: Any, outcome: Outcome) -> Filter | None:
    """Parse a filter; None when it cannot be used."""
    if outcome.kind != "fixture":
        if value is not None and value != "":
            message = f"A `{outcome.kind}` source has no rows, so the filter {shown(value)} does nothing."
            outcome.add("filter_ignored", message, about="filter")
        return None
    if value is not None and not isinstance(value, str):
        outcome.add("unevaluable_filter", f"A filter is a text, not {shown(value)}.", about="filter")
        return None
    try:
        return parse_filter(value or "")
    except FilterError as error:
        for problem in error.problems:
            outcome.add("unevaluable_filter", problem, about="filter")
        return None


def _enum_values(pack: Pack, source: EnumSource) -> list[JsonValue]:
    """Return the values of an enum.

    Raises:
        LookupError: when there is no such tool, parameter or enum, or it is not a list of values.
    """
    tool = pack.tool_named(source.tool)
    if tool is None:
        hint = did_you_mean(source.tool, [each.name for each in pack.tools])
        raise LookupError(f"There is no tool `{source.tool}`.{hint}")
    if source.parameter not in tool.properties:
        hint = did_you_mean(source.parameter, tool.properties)
        raise LookupError(f"`{source.tool}` has no top-level parameter `{source.parameter}`.{hint}")
    schema = tool.properties[source.parameter]
    values = schema.get("enum") if isinstance(schema, dict) else None
    if not isinstance(values, list) or not values:
        found = "has no `enum`" if values is None else f"has the `enum` {shown(values)}, which is no list of values"
        raise LookupError(f"The parameter `{source.parameter}` of `{source.tool}` {found}.")
    return values


def _collect_range(source: RangeSource, outcome: Outcome) -> None:
    outcome.candidates = RangeCandidates(source.values)
    for name in source.ignored:
        hint = did_you_mean(name, ("min", "max", "step"))
        message = f"A range has no part `{name}`, so it does nothing.{hint}"
        outcome.add("invalid_source", message, severity=Severity.WARNING)
