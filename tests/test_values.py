import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.values import (
    ABSENT,
    apply_patch,
    canonical_json,
    differences,
    digest,
    equality_key,
    make_patch,
    path_text,
    same_value,
)

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4)
)


@given(VALUES)
def test_canonical_json_reads_back_as_the_same_value(value):
    assert canonical_json(json.loads(canonical_json(value))) == canonical_json(value)


def test_canonical_json_sorts_keys_by_code_point_and_keeps_non_ascii():
    assert canonical_json({"b": 1, "a": {"é": 1.0, "Z": [True, None]}}) == '{"a":{"Z":[true,null],"é":1.0},"b":1}'


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, [math.nan]])
def test_canonical_json_refuses_what_json_does_not_have(value):
    with pytest.raises(ValueError, match="Out of range"):
        canonical_json(value)


def test_canonical_json_refuses_sets():
    with pytest.raises(TypeError):
        canonical_json({1})


def test_one_and_one_point_zero_have_different_digests():
    assert len({digest(1), digest(1.0), digest(True), digest("1")}) == 4


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        (1, 1.0, True),
        (True, 1, False),
        (False, 0, False),
        (True, True, True),
        ([1, [True]], [1.0, [1]], False),
        ({"a": 1}, {"a": 1.0}, True),
        ({"a": 1}, {"a": 1, "b": None}, False),
        ("1", 1, False),
        (None, False, False),
        ([1], [1, 2], False),
    ],
)
def test_same_value_keeps_booleans_apart_from_numbers_at_any_depth(left, right, same):
    assert same_value(left, right) is same
    assert same_value(right, left) is same


@given(VALUES, VALUES)
def test_there_is_a_difference_exactly_when_the_canonical_texts_differ(left, right):
    assert bool(list(differences(left, right))) == (canonical_json(left) != canonical_json(right))


@given(VALUES, VALUES)
def test_a_patch_turns_one_value_into_the_other(before, after):
    patch = json.loads(canonical_json(make_patch(before, after)))
    assert canonical_json(apply_patch(before, patch)) == canonical_json(after)


def test_differences_name_the_innermost_places_and_absent_sides():
    found = list(differences({"a": [1, 2], "b": 0.0}, {"a": [1], "b": -0.0, "c": None}))
    assert [(path_text(each.path), each.left, each.right) for each in found] == [
        ("$.a[1]", 2, ABSENT),
        ("$.b", 0.0, -0.0),
        ("$.c", ABSENT, None),
    ]


def test_an_unchanged_value_needs_no_patch():
    assert make_patch({"rows": [1, 2]}, {"rows": [1, 2]}) == []


@pytest.mark.parametrize(
    ("left", "right"), [(1, 1.0), (1, True), (0, False), ([1], [1.0]), ([1], [True]), ({"a": 0.0}, {"a": 0}), ("1", 1)]
)
def test_equality_keys_are_equal_exactly_when_the_values_are(left, right):
    assert (equality_key(left) == equality_key(right)) == same_value(left, right)


@given(VALUES, VALUES)
def test_an_equality_key_stands_for_its_value(left, right):
    assert (equality_key(left) == equality_key(right)) == same_value(left, right)
    assert equality_key(left) == equality_key(json.loads(canonical_json(left)))
