"""What the held-out policy keeps from public draws.

Reserved rows are taken out of what a slot may be bound to. A row is recognised by its own reference, and - because a
literal, an enum, an absent id or another row's foreign key may name it as well - by its id as a value (ruling 17). Ids
that are texts are recognised wherever they occur; numbers are too common for that and count only in a slot that is
named like the collection's key.

Reserved templates are bound for their proof only (`Reservations.for_reserved_template`), never for a benchmark.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.pack.candidates import Candidate, distinct
from assay.pack.keys import KeyProblem, fixture_ref
from assay.values import equality_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from assay.pack.candidates import Pool
    from assay.pack.fixtures import Collections
    from assay.pack.model import HeldOut
    from assay.stages.dependent import Marker
    from assay.values import JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """What a pool leaves to public draws.

    Attributes:
        candidates: what may be bound, each value once.
        blocked: references of reserved rows that were candidates, sorted.
        lost: those of them whose value no other row offers, sorted: the reservation leaves less to bind.
        named: reserved ids that stand in a source without rows, as written.
    """

    candidates: Sequence[Candidate]
    blocked: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    named: tuple[JsonValue, ...] = ()


@dataclass(frozen=True, slots=True)
class _ReservedRow:
    ref: str
    key: str | None


class Reservations:
    """The reserved rows of a policy, by reference and by id."""

    def __init__(self, rows: Mapping[str, tuple[_ReservedRow, ...]]) -> None:
        self._rows = rows
        self._refs = frozenset(row.ref for found in rows.values() for row in found)

    @classmethod
    def none(cls) -> Reservations:
        """Return reservations that keep nothing back."""
        return cls({})

    @classmethod
    def of(cls, policy: HeldOut | None, collections: Collections) -> Reservations:
        """Return the reserved rows of a policy."""
        rows: dict[str, tuple[_ReservedRow, ...]] = {}
        for collection, ids in () if policy is None else policy.fixtures.items():
            key = collections.key(collection)
            for row_id in ids:
                row = _ReservedRow(fixture_ref(collection, row_id), None if isinstance(key, KeyProblem) else key)
                rows[row_id] = (*rows.get(row_id, ()), row)
        return cls(rows)

    @classmethod
    def for_reserved_template(cls, policy: HeldOut, collections: Collections) -> Reservations:
        """Return what a reserved template must not bind in its proof: rows that the oracle does not have.

        Where the policy leaves reserved rows in the oracle's state it may bind them (`reference/validation.md` 8.2).
        """
        return cls.none() if policy.fixtures_in_backend_state else cls.of(policy, collections)

    def named_by(self, value: JsonValue, name: str) -> tuple[str, ...]:
        """Return the references of the reserved rows that a value, or anything within it, names.

        Args:
            value: of a slot, or read from a result.
            name: of the slot, argument or field that takes the value; it decides whether a number is an id.
        """
        if isinstance(value, dict):
            return _each_once(ref for key, item in value.items() for ref in self.named_by(item, key))
        if isinstance(value, (list, tuple)):
            return _each_once(ref for item in value for ref in self.named_by(item, name))
        if isinstance(value, bool) or not isinstance(value, (str, int, float)):
            return ()
        rows = self._rows.get(str(value), ())
        return tuple(row.ref for row in rows if isinstance(value, str) or row.key == name)

    def read_by(self, marker: Marker, value: JsonValue) -> tuple[str, ...]:
        """Return the references of the reserved rows that a value names which a call reads from a result.

        A number counts when the argument, or the field that it is read from, is named like the collection's key.
        """
        names = dict.fromkeys(map(str, (*marker.path[-1:], marker.steps[-1])))
        return _each_once(ref for name in names for ref in self.named_by(value, name))

    def share_of(self, pool: Pool, slot: str) -> Share:
        """Divide what a slot could be bound to. Ranges are left alone: they are amounts, and too long to list."""
        if not self._rows or pool.kind == "range":
            return Share(candidates=pool.candidates)
        matched = pool.matched
        reserved = {index: refs for index, each in enumerate(matched) if (refs := self._refs_of(each, slot))}
        if not reserved:
            return Share(candidates=pool.candidates)
        left = (each for index, each in enumerate(matched) if index not in reserved)
        kept = tuple(left) if pool.repeated is None else distinct(left)
        written = () if pool.collection is not None else distinct(matched[index] for index in reserved)
        return Share(
            candidates=kept,
            blocked=_sorted_refs(reserved.values()),
            lost=_sorted_refs(_lost(pool, kept, reserved)),
            named=tuple(each.value for each in written),
        )

    def _refs_of(self, candidate: Candidate, slot: str) -> tuple[str, ...]:
        named = self.named_by(candidate.value, slot)
        if candidate.ref is None or candidate.ref not in self._refs or candidate.ref in named:
            return named
        return (candidate.ref, *named)


def _lost(pool: Pool, kept: Sequence[Candidate], reserved: Mapping[int, tuple[str, ...]]) -> Iterable[tuple[str, ...]]:
    """Return the references behind the reserved candidates whose value no kept one has."""
    if pool.repeated is None:
        return reserved.values()
    offered = {equality_key(each.value) for each in kept}
    return [refs for index, refs in reserved.items() if equality_key(pool.matched[index].value) not in offered]


def _each_once(refs: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(refs))


def _sorted_refs(groups: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(sorted({ref for refs in groups for ref in refs}))
