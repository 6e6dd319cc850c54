from __future__ import annotations

from collections import Counter
from itertools import product
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.stages.sampling import Spread, Walk, candidate_material, seeded_walk

sizes = st.lists(st.integers(1, 12), max_size=4)


@pytest.mark.parametrize(("size", "order"), [(6, [2, 1, 0, 5, 4, 3]), (7, [1, 0, 6, 5, 4, 3, 2])])
def test_vectors_of_the_reference_permutation(size, order):
    assert list(seeded_walk(size, candidate_material("t", 0, 0))) == order


@given(st.integers(0, 300), st.integers())
def test_a_walk_visits_everything_once(size, seed):
    walk = seeded_walk(size, candidate_material("t", seed, 0))
    assert sorted(walk) == list(range(size))
    assert [walk[index] for index in range(size)] == list(walk)


def test_a_walk_ends():
    with pytest.raises(IndexError):
        Walk(3)[3]
    with pytest.raises(IndexError):
        Walk(3)[-1]


def test_a_walk_of_any_size_costs_nothing():
    walk = seeded_walk(2**53, candidate_material("t", 0, 0))
    assert len({walk[index] for index in range(100)}) == 100


@given(sizes)
def test_a_spread_numbers_every_combination_once(axes):
    spread = Spread(axes)
    found = [tuple(spread.digits(k)) for k in range(spread.count)]
    assert spread.count == prod(axes)
    assert sorted(found) == sorted(product(*map(range, axes)))


@given(sizes, st.data())
def test_every_prefix_of_a_spread_is_even_on_every_axis(axes, data):
    spread = Spread(axes)
    length = data.draw(st.integers(0, spread.count))
    found = [spread.digits(k) for k in range(length)]
    for axis, size in enumerate(axes):
        counts = Counter(dict.fromkeys(range(size), 0))
        counts.update(digits[axis] for digits in found)
        assert max(counts.values()) - min(counts.values()) <= 1


def test_an_empty_axis_leaves_nothing():
    assert Spread([3, 0, 2]).count == 0


def test_a_spread_of_any_size_costs_nothing():
    spread = Spread([2**53, 2**53, 3])
    assert spread.digits(spread.count - 1)[2] in range(3)
