"""Candidates: the values that one slot can take, and what was wrong with finding them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, overload

from assay.pack.bounds import MAX_TEXT
from assay.values import canonical_json, equality_key, shown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from assay.findings import Finding, Severity
    from assay.values import JsonObject, JsonValue

_MAX_NAMED: Final = 5


@dataclass(frozen=True, slots=True)
class Candidate:
    """One value a slot can take.

    Attributes:
        value: as bound.
        ref: canonical fixture reference `["collection","id"]`; None for sources without rows.
        row: index of the row in its collection.
    """

    value: JsonValue
    ref: str | None = None
    row: int | None = None


@dataclass(frozen=True, slots=True)
class RangeCandidates(Sequence[Candidate]):
    """Candidates of a range, made when asked for."""

    values: range

    def __len__(self) -> int:
        return len(self.values)

    @overload
    def __getitem__(self, index: int) -> Candidate: ...
    @overload
    def __getitem__(self, index: slice) -> RangeCandidates: ...
    def __getitem__(self, index: int | slice) -> Candidate | RangeCandidates:
        if isinstance(index, slice):
            return RangeCandidates(self.values[index])
        return Candidate(self.values[index])


def distinct(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """Return the first candidate of each value, in order (ruling 14)."""
    first: dict[Any, Candidate] = {}
    for candidate in candidates:
        first.setdefault(equality_key(candidate.value), candidate)
    return tuple(first.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A fault of a source before it has a place. `about` is the key of the slot's entry that it concerns."""

    code: str
    message: str
    about: str = "source"
    severity: Severity | None = None
    detail: JsonObject | None = None


@dataclass(slots=True, kw_only=True)
class Outcome:
    """A source, evaluated, whoever asked for it. Fields as in `Pool`."""

    kind: str | None
    candidates: Sequence[Candidate] = ()
    repeated: Sequence[Candidate] | None = None
    collection: str | None = None
    key: str | None = None
    known: bool = True
    faults: list[Fault] = field(default_factory=list)

    def add(self, code: str, message: str, **facts: Any) -> None:
        """Note a fault; `facts` as in `Fault`."""
        self.faults.append(Fault(code=code, message=message, **facts))

    def settle(self, found: list[Candidate]) -> None:
        """Keep what can be bound, each value once, and note the rest."""
        sound = [candidate for candidate in found if _what_is_wrong(candidate.value) is None]
        if len(sound) < len(found):
            bad, what = next((each, what) for each in found if (what := _what_is_wrong(each.value)) is not None)
            where = "" if bad.row is None else f" (row {bad.row + 1})"
            self.add("invalid_source", f"{ascii(bad.value)[:120]}{where} {what}.")
        self.candidates = distinct(sound)
        if len(self.candidates) < len(sound):
            self.repeated = sound
            self._note_repeats(sound)

    def _note_repeats(self, sound: list[Candidate]) -> None:
        kept = {id(candidate) for candidate in self.candidates}
        again = distinct(candidate for candidate in sound if id(candidate) not in kept)
        more = ", ..." if len(again) > _MAX_NAMED else ""
        named = ", ".join(shown(candidate.value, 40) for candidate in again[:_MAX_NAMED]) + more
        message = f"{len(sound)} candidates hold {len(self.candidates)} different values; repeated: {named}."
        self.add("duplicate_source_value", message, detail={"candidates": len(sound), "values": len(self.candidates)})


def _what_is_wrong(value: JsonValue) -> str | None:
    """Return why a value cannot be bound; None when it has a canonical text in UTF-8 that is not endless."""
    try:
        text = canonical_json(value)
        text.encode("utf-8")
    except (ValueError, TypeError):
        return "is no value that JSON can carry"
    return None if len(text) <= MAX_TEXT else f"has {len(text)} characters as JSON; at most {MAX_TEXT} can be bound"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """What one slot (or one replacement) can be bound to.

    Attributes:
        kind: kind of the source as written; None when there is no source.
        candidates: each value once, in the order of the source.
        repeated: all candidates, repeats included, for whoever takes some of them away first; None without repeats.
        collection: for a fixture source: its collection.
        key: for a fixture source: the field that identifies the rows.
        known: False when the pack part that it reads could not be loaded, so that nothing can be said.
        findings: faults and doubts, each at the place of the asking slot.
    """

    kind: str | None
    candidates: Sequence[Candidate] = ()
    repeated: Sequence[Candidate] | None = None
    collection: str | None = None
    key: str | None = None
    known: bool = True
    findings: tuple[Finding, ...] = ()

    @property
    def matched(self) -> Sequence[Candidate]:
        """All candidates, repeats included."""
        return self.candidates if self.repeated is None else self.repeated

    @property
    def usable(self) -> bool:
        """Whether instances may be made from it."""
        return self.known and len(self.candidates) > 0 and not any(each.is_error for each in self.findings)
