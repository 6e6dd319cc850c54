"""The combinations that one template can be bound to, with its corrections in mind.

Positions are the slots by name, then the replacements in the order in which the conversation delivers them. Two rules
thin their product out, both before any budget applies (ruling 15, `reference/bind-plan-render.md` 1.6 and 1.7):

1. A replacement differs from the value it replaces wherever one of its candidates does. Where none does it may repeat
   the value, because a sibling may still change.
2. An instance none of whose replacements changes anything is no correction and does not exist.

Most of this is settled once for the template: replacements of a slot that has one value lose that value, and a slot
with its first replacement becomes one axis of pairs. On that axis the values that both lists share stand first and in
the same order in both, so the first pairs of its `Spread` are exactly the self-pairs (0,0), (1,1), ... and are left out
by starting behind them. What remains - second replacements of the same slot, ranges too long to list, several
corrections with a single candidate each - is tested combination by combination. How many combinations may be passed
over is bounded (`PATIENCE`); a template that refuses more is drawn from as far as that.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Final, TypeAlias

from assay.pack.candidates import Candidate, RangeCandidates
from assay.stages.sampling import Spread, Walk, candidate_material, seeded_walk
from assay.values import equality_key, same_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.values import JsonValue

MAX_LISTED: Final = 100_000
"""Candidates of one position that may be listed; longer ranges are only indexed."""

PATIENCE: Final = 50_000
"""Combinations of one template that may be refused before its drawing ends, and `PATIENCE_EACH` for each one drawn."""

PATIENCE_EACH: Final = 4

Order: TypeAlias = "Walk | list[int]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """One thing to bind: the opening value of a slot, or one replacement of it.

    Attributes:
        slot: the slot.
        entry_index: index in `user_simulator_turns` of the turn that replaces the value; None for the opening value.
        alias: for a replacement: its `bind_as`.
        candidates: values to choose from, each once.
    """

    slot: str
    entry_index: int | None = None
    alias: str | None = None
    candidates: Sequence[Candidate]


@dataclass(frozen=True, slots=True)
class _Axis:
    """One position on its own."""

    position: int
    order: Order

    @property
    def size(self) -> int:
        return len(self.order)

    def choose(self, k: int, choice: list[int]) -> None:
        choice[self.position] = self.order[k]


@dataclass(frozen=True, slots=True)
class _PairAxis:
    """A slot and its first replacement: all pairs of different values."""

    first: int
    second: int
    first_order: list[int]
    second_order: list[int]
    shared: int
    spread: Spread

    @property
    def size(self) -> int:
        return self.spread.count - self.shared

    def choose(self, k: int, choice: list[int]) -> None:
        opening, replacement = self.spread.digits(k + self.shared)
        choice[self.first] = self.first_order[opening]
        choice[self.second] = self.second_order[replacement]


class Combinations:
    """The combinations of a template's positions, in the order in which budgets draw them.

    Attributes:
        positions: as given, minus candidates that no combination may use.
    """

    def __init__(self, positions: Sequence[Position], *, template_id: str, seed: int) -> None:
        self._replaces = _replaced_positions(positions)
        self.positions, self._may_change_nothing = _settled(positions, self._replaces)
        walks = [
            seeded_walk(len(position.candidates), candidate_material(template_id, seed, index))
            for index, position in enumerate(self.positions)
        ]
        pairs = {
            earlier: later
            for later, earlier in self._replaces.items()
            if earlier not in self._replaces and self._can_pair(earlier, later)
        }
        self._axes = self._lay_out_axes(walks, pairs)
        self._spread = Spread([axis.size for axis in self._axes])
        self._to_compare = {
            later: earlier
            for later, earlier in self._replaces.items()
            if later not in pairs.values() and self._can_repeat(earlier, later)
        }

    def _lay_out_axes(self, walks: list[Walk], pairs: dict[int, int]) -> list[_Axis | _PairAxis]:
        """Return the axes in the order of their first positions."""
        second = set(pairs.values())
        return [
            self._pair(index, pairs[index], walks) if index in pairs else _Axis(index, walk)
            for index, walk in enumerate(walks)
            if index not in second
        ]

    def _can_repeat(self, earlier: int, later: int) -> bool:
        """Say whether rule 1 has to be tested: the later list has a choice, and was not settled by a single value."""
        before, after = len(self.positions[earlier].candidates), len(self.positions[later].candidates)
        return after > MAX_LISTED or (before > 1 and after > 1)

    def _can_pair(self, earlier: int, later: int) -> bool:
        return all(1 < len(self.positions[index].candidates) <= MAX_LISTED for index in (earlier, later))

    def _pair(self, first: int, second: int, walks: list[Walk]) -> _PairAxis:
        keys = [equality_key(candidate.value) for candidate in self.positions[first].candidates]
        seats = {equality_key(each.value): seat for seat, each in enumerate(self.positions[second].candidates)}
        shared = [index for index in walks[first] if keys[index] in seats]
        taken = {seats[keys[index]] for index in shared}
        first_order = shared + [index for index in walks[first] if keys[index] not in seats]
        second_order = [seats[keys[index]] for index in shared]
        second_order += [index for index in walks[second] if index not in taken]
        spread = Spread((len(first_order), len(second_order)))
        return _PairAxis(first, second, first_order, second_order, len(shared), spread)

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        """Yield combinations, each as one candidate index per position."""
        patience = PATIENCE
        for k in range(self._spread.count):
            choice = [0] * len(self.positions)
            for axis, digit in zip(self._axes, self._spread.digits(k), strict=True):
                axis.choose(digit, choice)
            if self._admits(choice):
                patience += PATIENCE_EACH
                yield tuple(choice)
            elif (patience := patience - 1) < 0:
                return

    def count(self, limit: int) -> int:
        """Return how many combinations there are, counting no further than a limit."""
        if self._to_compare or self._may_change_nothing:
            return sum(1 for _ in islice(self, limit))
        return min(limit, self._spread.count)

    def _admits(self, choice: list[int]) -> bool:
        for later, earlier in self._to_compare.items():
            if self._repeats(choice, later, earlier):
                return False
        if not self._may_change_nothing:
            return True
        return not all(self._repeats(choice, later, earlier) for later, earlier in self._replaces.items())

    def _repeats(self, choice: list[int], later: int, earlier: int) -> bool:
        return same_value(self._value(choice, later), self._value(choice, earlier))

    def _value(self, choice: list[int], position: int) -> JsonValue:
        return self.positions[position].candidates[choice[position]].value


def _replaced_positions(positions: Sequence[Position]) -> dict[int, int]:
    """Return, for each replacement, the nearest earlier position of the same slot."""
    latest: dict[str, int] = {}
    replaces: dict[int, int] = {}
    for index, position in enumerate(positions):
        if position.entry_index is not None and position.slot in latest:
            replaces[index] = latest[position.slot]
        latest[position.slot] = index
    return replaces


def _settled(positions: Sequence[Position], replaces: dict[int, int]) -> tuple[tuple[Position, ...], bool]:
    """Take away candidates that no combination may use.

    Returns:
        The positions, and whether combinations that change nothing may still be among theirs (rule 2).
    """
    settled = list(positions)
    for later, earlier in replaces.items():
        if len(settled[earlier].candidates) == 1:
            settled[later] = _without(settled[later], settled[earlier].candidates[0].value)
    if not replaces or any(_always_changes(settled[later], settled[earlier]) for later, earlier in replaces.items()):
        return tuple(settled), False
    # From here on every replacement has one candidate, and all replacements of a slot have the same one: an instance
    # changes nothing exactly when each of these slots opens with that value.
    openings = {earlier: later for later, earlier in replaces.items() if earlier not in replaces}
    choices = [index for index in openings if len(settled[index].candidates) > 1]
    if not choices:
        later = next(iter(replaces))
        settled[later] = replace(settled[later], candidates=())
    elif len(choices) == 1 and len(settled[choices[0]].candidates) <= MAX_LISTED:
        index = choices[0]
        settled[index] = _without(settled[index], settled[openings[index]].candidates[0].value)
    else:
        return tuple(settled), True
    return tuple(settled), False


def _always_changes(later: Position, earlier: Position) -> bool:
    """Say whether a replacement cannot but change the value: it has a choice, or its value is none it replaces."""
    if len(later.candidates) != 1:
        return len(later.candidates) > 1
    value = later.candidates[0].value
    if isinstance(earlier.candidates, RangeCandidates):
        return value not in earlier.candidates.values
    return not any(same_value(value, candidate.value) for candidate in earlier.candidates)


def _without(position: Position, value: JsonValue) -> Position:
    """Return a position without one value, unless it is its only one or stands in a range too long to list."""
    if len(position.candidates) > MAX_LISTED:
        return position
    others = tuple(each for each in position.candidates if not same_value(each.value, value))
    return replace(position, candidates=others) if others else position
