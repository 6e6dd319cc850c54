from __future__ import annotations

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.stages.mutation import (
    KINDS,
    MOST_MUTANTS,
    MOST_TEXT,
    MOST_UNTOUCHED,
    derive_mutants,
    describe_mutant,
)
from assay.values import ABSENT, canonical_json, differences

BEFORE = {"berths": [{"id": "B-1", "free": True}, {"id": "B-2", "free": True}], "bookings": []}
AFTER = {"berths": [{"id": "B-1", "free": False}, {"id": "B-2", "free": True}], "bookings": [{"berth": "B-1", "no": 7}]}
FIND = {"tool": "find", "arguments": {"id": "B-1"}, "result": {"depth": 12.5, "free": True}}
BOOK = {"tool": "book", "arguments": {"id": "B-1", "confirm": True}, "result": {"status": "booked"}}

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.text(max_size=4), VALUES, max_size=4)
CALLS = st.fixed_dictionaries({"tool": st.sampled_from(["a", "b"]), "arguments": OBJECTS, "result": OBJECTS})
TRACES = st.lists(CALLS, max_size=4)


def told(mutants):
    return [(each.kind, each.call_index, each.path, each.before, each.after) for each in mutants]


def of_kind(kind, trace=(FIND, BOOK), before=BEFORE, after=AFTER):
    return [each for each in derive_mutants(list(trace), before, after) if each.kind == kind]


def test_every_kind_of_change_to_two_calls_and_a_state():
    assert told(derive_mutants([FIND, BOOK], BEFORE, AFTER)) == [
        ("drop_call", 0, None, ABSENT, ABSENT),
        ("drop_call", 1, None, ABSENT, ABSENT),
        ("repeat_call", 0, None, ABSENT, ABSENT),
        ("repeat_call", 1, None, ABSENT, ABSENT),
        ("swap_calls", 0, None, ABSENT, ABSENT),
        ("change_argument", 0, ("id",), "B-1", "B-2"),
        ("change_argument", 1, ("confirm",), True, False),
        ("change_argument", 1, ("id",), "B-1", "B-2"),
        ("change_result", 0, ("depth",), 12.5, 13.5),
        ("change_result", 0, ("free",), True, False),
        ("change_result", 1, ("status",), "booked", "bookee"),
        ("blank_result", 0, None, FIND["result"], {}),
        ("blank_result", 1, None, BOOK["result"], {}),
        ("reset_state", None, None, ABSENT, ABSENT),
        ("change_effect", None, ("berths", 0, "free"), False, True),
        ("change_effect", None, ("bookings", 0, "berth"), "B-1", "B-2"),
        ("change_effect", None, ("bookings", 0, "no"), 7, 8),
        ("change_untouched", None, ("berths", 0, "id"), "B-1", "B-2"),
        ("change_untouched", None, ("berths", 1, "free"), True, False),
    ]


def test_a_call_left_out_and_one_made_twice_leave_the_others_in_place():
    assert [each.trace for each in of_kind("drop_call")] == [[BOOK], [FIND]]
    assert [each.trace for each in of_kind("repeat_call")] == [[FIND, FIND, BOOK], [FIND, BOOK, BOOK]]
    assert [each.trace for each in of_kind("swap_calls")] == [[BOOK, FIND]]
    assert all(each.state == AFTER for each in of_kind("drop_call"))


def test_only_the_changed_value_differs():
    changed = of_kind("change_argument")[0]
    assert changed.trace == [{**FIND, "arguments": {"id": "B-2"}}, BOOK]
    assert (changed.state, changed.tool) == (AFTER, "find")
    (reset,) = of_kind("reset_state")
    assert (reset.state, reset.trace) == (BEFORE, [FIND, BOOK])


def test_calls_that_are_alike_are_dropped_once_and_never_swapped():
    assert [each.kind for each in derive_mutants([FIND, FIND], {}, {})][:3] == [
        "drop_call",
        "repeat_call",
        "change_argument",
    ]


def test_a_task_without_calls_is_given_one():
    (added,) = derive_mutants([], {}, {}, ["find", "book"])
    assert (added.kind, added.call_index, added.tool) == ("add_call", 0, "find")
    assert added.trace == [{"tool": "find", "arguments": {}, "result": {}}]


def test_a_task_with_calls_is_given_none():
    assert "add_call" not in {each.kind for each in derive_mutants([FIND], {}, {}, ["find"])}


def test_nothing_can_be_changed_where_there_is_nothing():
    assert derive_mutants([], {}, {}) == ()
    assert [each.kind for each in derive_mutants([{"tool": "a", "arguments": {}, "result": {}}], {}, {})] == [
        "drop_call",
        "repeat_call",
    ]


def test_a_change_that_only_undoes_the_calls_is_the_state_as_at_reset():
    mutants = derive_mutants([], {"free": True}, {"free": False})
    assert [(each.kind, each.state) for each in mutants] == [("reset_state", {"free": True})]


def test_what_the_calls_removed_shows_in_the_state_as_at_reset_alone():
    mutants = derive_mutants([], {"a": 1, "b": 2}, {"a": 1})
    assert [each.kind for each in mutants] == ["reset_state", "change_untouched"]


@pytest.mark.parametrize(
    ("value", "changed"),
    [
        (True, False),
        (7, 8),
        (-1, 0),
        (1.5, 2.5),
        (1e300, 5e299),
        ("B-1", "B-2"),
        ("B-9", "B-0"),
        ("2026-03-02T09:00:00+07:00", "2026-03-02T09:00:00+07:01"),
        ("paid.", "paie."),
        ("fizz", "fiza"),
        ("Z", "A"),
        ("", "x"),
        ("已付", "已付x"),
        (None, "x"),
        ([], ["x"]),
        ({}, {"x": "x"}),
    ],
)
def test_the_other_value(value, changed):
    (only,) = of_kind("change_result", [{"tool": "a", "arguments": {}, "result": {"v": value}}], {}, {})
    assert repr((only.before, only.after)) == repr((value, changed))
    assert only.trace[0]["result"] == {"v": changed}


def test_no_more_than_the_bound_spread_over_kinds_calls_and_fields():
    calls = [
        {"tool": "a", "arguments": {"n": number}, "result": {f"f{field}": field for field in range(40)}}
        for number in range(30)
    ]
    mutants = derive_mutants(calls, {}, {"rows": [{"n": number} for number in range(500)]})
    counts = {kind: sum(each.kind == kind for each in mutants) for kind in KINDS}
    assert len(mutants) == MOST_MUTANTS
    assert counts["reset_state"] == 1
    assert {count for kind, count in counts.items() if count > 1} == {9}
    drops = [each.call_index for each in mutants if each.kind == "drop_call"]
    assert drops[0] == 0
    assert drops[-1] > 20


def test_few_values_that_no_call_touched_are_changed():
    state = {"rows": list(range(100))}
    assert len(derive_mutants([], state, state)) == MOST_UNTOUCHED


def test_large_evidence_is_judged_in_fewer_mutants_but_in_every_kind():
    big = "x" * (MOST_TEXT // 12)
    calls = [{"tool": "a", "arguments": {"n": number}, "result": {"m": number}} for number in range(30)]
    mutants = derive_mutants(calls, {"big": big, "n": 0}, {"big": big, "n": 1, "m": {"k": [1, 2, 3]}})
    assert len(mutants) == 11
    assert {each.kind for each in mutants} == set(KINDS) - {"add_call"}


@given(trace=TRACES, before=OBJECTS, after=OBJECTS)
def test_mutants_are_wrong_in_something_and_always_the_same(trace, before, after):
    kept = copy.deepcopy((trace, before, after))
    mutants = derive_mutants(trace, before, after, ["a"])
    right = canonical_json([trace, after])
    assert all(canonical_json([each.trace, each.state]) != right for each in mutants)
    assert told(derive_mutants(trace, before, after, ["a"])) == told(mutants)
    assert [KINDS.index(each.kind) for each in mutants] == sorted(KINDS.index(each.kind) for each in mutants)
    assert canonical_json(list(kept)) == canonical_json([trace, before, after])
    assert len(mutants) <= MOST_MUTANTS + 1


@given(trace=TRACES, before=OBJECTS, after=OBJECTS)
def test_a_changed_value_is_one_difference_of_the_same_type(trace, before, after):
    for each in derive_mutants(trace, before, after):
        if each.path is None or each.before in (None, [], {}):
            continue
        (only,) = differences([trace, after], [each.trace, each.state])
        assert type(only.left) is type(only.right)
        assert (repr(only.left), repr(only.right)) == (repr(each.before), repr(each.after))
        assert only.path[-len(each.path) :] == each.path


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_can_be_told(kind):
    text = describe_mutant(kind, 3, "book", "$.a[0]")
    state = kind in ("reset_state", "change_effect", "change_untouched")
    assert ("call 3 (book)" in text) is not state
    assert ("$.a[0]" in text) is kind.startswith("change_")
