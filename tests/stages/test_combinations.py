from __future__ import annotations

from collections import Counter
from itertools import islice, pairwise, product

from hypothesis import assume, given
from hypothesis import strategies as st

from assay.pack.candidates import Candidate, RangeCandidates
from assay.stages.combinations import MAX_LISTED, Combinations, Position
from assay.values import same_value


def opening(slot, *values):
    return Position(slot=slot, candidates=tuple(map(Candidate, values)))


def replacement(slot, entry, *values):
    return Position(slot=slot, entry_index=entry, candidates=tuple(map(Candidate, values)))


def combinations(positions, seed=0):
    return Combinations(positions, template_id="t", seed=seed)


def values(space, limit=None):
    return [
        tuple(position.candidates[index].value for position, index in zip(space.positions, chosen, strict=True))
        for chosen in islice(space, limit)
    ]


def allowed(positions):
    """All value tuples that the two rules allow, found the slow way."""
    result = []
    for chosen in product(*([each.value for each in position.candidates] for position in positions)):
        in_force, sound, changed = {}, True, False
        for position, value in zip(positions, chosen, strict=True):
            if position.entry_index is not None:
                before = in_force[position.slot]
                differs = not same_value(value, before)
                could = any(not same_value(each.value, before) for each in position.candidates)
                sound = sound and (differs or not could)
                changed = changed or differs
            in_force[position.slot] = value
        if sound and (changed or all(each.entry_index is None for each in positions)):
            result.append(chosen)
    return result


small_values = st.lists(st.integers(0, 3), min_size=1, max_size=4, unique=True)


@st.composite
def corrected_positions(draw):
    names = draw(st.lists(st.sampled_from("abc"), min_size=1, max_size=3, unique=True))
    positions = [opening(name, *draw(small_values)) for name in sorted(names)]
    corrected = draw(st.lists(st.sampled_from(sorted(names)), max_size=3))
    return positions + [replacement(name, entry, *draw(small_values)) for entry, name in enumerate(corrected)]


@given(corrected_positions(), st.integers(0, 5))
def test_exactly_the_allowed_combinations_are_enumerated_each_once(positions, seed):
    space = combinations(positions, seed)
    found = values(space)
    assert len(found) == len(set(found))
    assert set(found) == set(allowed(positions))
    assert space.count(10_000) == len(found)


@given(st.lists(st.integers(1, 9), min_size=1, max_size=4), st.integers(0, 3), st.data())
def test_every_prefix_uses_the_values_of_every_slot_evenly(sizes, seed, data):
    positions = [opening(f"s{index}", *range(size)) for index, size in enumerate(sizes)]
    space = combinations(positions, seed)
    drawn = data.draw(st.integers(1, space.count(2_000)))
    for index, size in enumerate(sizes):
        counts = Counter(chosen[index] for chosen in islice(space, drawn))
        assert max(counts.values()) - (min(counts.values()) if len(counts) == size else 0) <= 1


@given(corrected_positions(), st.data())
def test_a_larger_budget_draws_a_superset(positions, data):
    space = combinations(positions)
    total = space.count(500)
    assume(total > 1)
    small, large = sorted(data.draw(st.tuples(st.integers(1, total), st.integers(1, total))))
    assert set(islice(space, small)) <= set(islice(space, large))


def test_the_draw_is_the_same_every_time_and_changes_with_the_seed():
    positions = [opening("a", *range(10)), opening("b", *range(10))]
    first = list(islice(combinations(positions, 1), 8))
    assert first == list(islice(combinations(positions, 1), 8))
    assert set(first) != set(islice(combinations(positions, 2), 8))


def test_no_slots_give_one_empty_combination():
    assert list(combinations([])) == [()]


def test_forty_by_thirty_by_twenty_with_a_budget_of_48_uses_every_value():
    positions = [opening("a", *range(40)), opening("b", *range(30)), opening("c", *range(20))]
    drawn = list(islice(combinations(positions), 48))
    assert [len({chosen[index] for chosen in drawn}) for index in range(3)] == [40, 30, 20]


def test_opening_and_corrected_values_both_spread_when_both_draw_on_one_list():
    positions = [opening("n", *range(12)), replacement("n", 0, *range(12))]
    drawn = values(combinations(positions), 12)
    assert len({before for before, _ in drawn}) == 12
    assert len({after for _, after in drawn}) == 12


def test_a_correction_that_can_only_repeat_gives_nothing_however_many_other_slots_vary():
    positions = [opening("a", *range(1000)), opening("b", *range(1000)), opening("n", 6), replacement("n", 0, 6)]
    assert combinations(positions).count(5) == 0


def test_one_list_for_slot_and_replacement_of_three_fills_a_budget_of_six():
    positions = [opening("n", 1, 2, 3), replacement("n", 0, 1, 2, 3)]
    assert combinations(positions).count(100) == 6


def test_a_second_correction_skips_the_value_in_force():
    positions = [opening("n", 10), replacement("n", 0, 20), replacement("n", 1, 20, 30)]
    assert values(combinations(positions)) == [(10, 20, 30)]


def test_a_sibling_of_the_same_turn_may_restate_its_value():
    positions = [
        opening("finish", "plain"),
        opening("loaves", 6),
        replacement("loaves", 0, 8),
        replacement("finish", 0, "plain"),
    ]
    assert values(combinations(positions)) == [("plain", 6, 8, "plain")]


def test_one_and_one_point_zero_are_no_change_but_one_and_true_are():
    same = [opening("n", 1), replacement("n", 0, 1.0)]
    other = [opening("n", 1), replacement("n", 0, True)]
    text = [opening("n", 1), replacement("n", 0, "1")]
    assert [combinations(each).count(9) for each in (same, other, text)] == [0, 1, 1]


def long_range(slot, entry=None, stop=10**12):
    return Position(slot=slot, entry_index=entry, candidates=RangeCandidates(range(stop)))


def test_a_huge_range_is_drawn_from_without_listing_it():
    space = combinations([long_range("a"), opening("b", 1, 2)])
    assert space.count(10**6) == 10**6
    assert len(set(values(space, 100))) == 100


def test_huge_ranges_on_both_sides_of_a_correction_still_differ():
    drawn = values(combinations([long_range("n"), long_range("n", 0)]), 200)
    assert len(drawn) == 200
    assert all(before != after for before, after in drawn)


def test_a_huge_range_corrected_by_one_value_or_correcting_one_value_never_repeats_it():
    outward = values(combinations([opening("n", 5), long_range("n", 0, MAX_LISTED + 1)]), 300)
    inward = values(combinations([long_range("n", stop=MAX_LISTED + 1), replacement("n", 0, 5)]), 300)
    assert len(outward) == len(inward) == 300
    assert all(before != after for before, after in outward + inward)


def test_many_corrections_of_one_slot_end_in_bounded_time():
    chain = [opening("n", 1, 2), *(replacement("n", entry, 1, 2) for entry in range(40))]
    found = values(combinations(chain), 50)
    assert len(found) <= 2
    assert all(before != after for each in found for before, after in pairwise(each))
