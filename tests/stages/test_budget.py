from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.config import TaskGeneration
from assay.stages.budget import categories_of, share_out
from tests.support.models import pack

PACK = pack(
    {"template_id": "preheat", "category": "heat"},
    {"template_id": "sweep"},
    {"template_id": "cool", "category": "heat"},
    {"template_id": "kept", "category": "heat"},
)


def categories(**settings):
    found = categories_of(PACK, TaskGeneration(**settings), {"kept"})
    return [(each.name, [*(t.template_id for t in each.templates)], each.budget, each.setting) for each in found]


def test_categories_stand_in_order_of_first_appearance_and_default_to_the_template_id():
    assert categories() == [("heat", ["preheat", "cool"], 2, None), ("sweep", ["sweep"], 1, None)]


@pytest.mark.parametrize(
    ("settings", "budget", "setting"),
    [
        ({"tasks_per_category": 3}, 3, "tasks_per_category"),
        ({"tasks_per_category": 0}, 1, "tasks_per_category"),
        ({"tasks_per_category": 3, "candidate_tasks_per_category": 5}, 5, "candidate_tasks_per_category"),
        ({"tasks_per_category": 3, "candidate_tasks_per_category": 0}, 3, "tasks_per_category"),
        ({"candidate_tasks_per_category": 5}, 5, "candidate_tasks_per_category"),
    ],
)
def test_the_candidate_budget_comes_before_the_published_one(settings, budget, setting):
    assert [each[2:] for each in categories(**settings)] == [(budget, setting)] * 2


def shares(supplies, budget):
    return share_out([iter(range(size)) for size in supplies], budget)


def test_templates_take_turns_and_the_first_gets_the_remainder():
    assert shares([9, 9], 5) == [[0, 1, 2], [0, 1]]


def test_an_exhausted_template_leaves_its_turns_to_the_others_in_order():
    assert shares([1, 9, 9], 5) == [[0], [0, 1], [0, 1]]
    assert shares([0, 9, 9], 3) == [[], [0, 1], [0]]


def test_nothing_is_drawn_beyond_what_there_is_nor_before_it_is_needed():
    assert shares([2, 1], 100) == [[0, 1], [0]]
    supply = iter(range(10))
    assert share_out([supply], 3) == [[0, 1, 2]]
    assert next(supply) == 3


@given(st.lists(st.integers(0, 6), max_size=5), st.integers(0, 30))
def test_shares_meet_the_budget_and_are_fair(supplies, budget):
    lengths = [len(each) for each in shares(supplies, budget)]
    assert sum(lengths) == min(budget, sum(supplies))
    unfinished = [length for length, size in zip(lengths, supplies, strict=True) if length < size]
    assert not unfinished or max(lengths) - min(unfinished) <= 1
