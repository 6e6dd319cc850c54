from dataclasses import replace

import pytest

from assay.stages.call_order import trace_failures
from assay.stages.records import ExpectedCall
from tests.support.models import pack
from tests.support.records import instance
from tests.support.talks import entry


def call(name, turn=0, group=0, position=0, arguments=None):
    return ExpectedCall(
        turn_index=turn,
        call_group=group,
        position_in_group=position,
        function_name=name,
        arguments={} if arguments is None else arguments,
        milestone=0,
    )


def in_turn(*names):
    """One call after the other, each a batch of its own."""
    return [call(name, index, index) for index, name in enumerate(names)]


def failures(calls, *, required=(), order="strict", prefix=None, policy="multi_tool"):
    task = replace(
        instance(pack(entry()), "bake"),
        required_tools=tuple(required),
        call_order=order,
        call_order_prefix=prefix,
        turn_policy=policy,
    )
    return list(trace_failures(task, calls))


def reasons(calls, **facts):
    return [each["reason"] for each in failures(calls, **facts)]


@pytest.mark.parametrize("calls", ["ab", "axb", "aab", "abab", "xaby"])
def test_strict_order_looks_at_first_calls_of_required_tools(calls):
    assert reasons(in_turn(*calls), required="ab") == []


def test_strict_order_reversed():
    (found,) = failures(in_turn("b", "a"), required="ab")
    assert found == {
        "reason": "call_order_mismatch",
        "call_order": "strict",
        "expected": ["a", "b"],
        "got": ["b", "a"],
    }


def test_a_missing_tool_breaks_strict_order_and_is_named():
    assert reasons(in_turn("a"), required="ab") == ["call_order_mismatch", "required_tool_not_called"]
    assert failures(in_turn("a"), required="ab")[-1] == {"reason": "required_tool_not_called", "tool": "b"}


def test_a_tool_required_twice_can_never_be_in_strict_order():
    assert reasons(in_turn("a", "a"), required="aa") == ["call_order_mismatch"]


def test_without_required_tools_any_call_may_come():
    assert reasons(in_turn("x", "y")) == []


def test_any_order_asks_for_presence_only():
    assert reasons(in_turn("b", "a"), required="ab", order="any") == []
    assert reasons(in_turn("b"), required="ab", order="any") == ["required_tool_not_called"]


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        ("abc", []),
        ("acb", []),
        ("axcb", []),
        ("bac", ["call_order_mismatch"]),
        ("ab", ["call_order_remainder_mismatch", "required_tool_not_called"]),
        ("b", ["call_order_mismatch", "call_order_remainder_mismatch", *["required_tool_not_called"] * 2]),
    ],
)
def test_prefix_order(calls, expected):
    found = reasons(in_turn(*calls), required="abc", order="prefix", prefix=1)
    if calls == "bac":
        assert found[0] == "call_order_mismatch"
    else:
        assert found == expected


def test_the_rest_after_the_prefix_is_named_sorted():
    found = failures(in_turn("a", "d"), required="acbd", order="prefix", prefix=1)
    assert found[0] == {"reason": "call_order_remainder_mismatch", "expected": ["b", "c", "d"], "got": ["d"]}


@pytest.mark.parametrize("prefix", [None, 0, -1, 3, True, 1.0, "1"])
def test_prefix_order_needs_a_prefix(prefix):
    found = failures(in_turn("a", "b"), required="ab", order="prefix", prefix=prefix)
    assert found == [{"reason": "bad_call_order_prefix", "call_order_prefix": prefix}]


@pytest.mark.parametrize("prefix", [1, 2])
def test_prefix_order_with_a_prefix(prefix):
    assert reasons(in_turn("a", "b"), required="ab", order="prefix", prefix=prefix) == []


def test_a_prefix_beside_another_order():
    assert reasons(in_turn("a"), required="a", order="any", prefix=1) == ["call_order_prefix_without_prefix_order"]


def test_an_unknown_order():
    assert failures(in_turn("a"), required="a", order="loose") == [
        {"reason": "unknown_call_order", "call_order": "loose"}
    ]


def test_a_dependent_call_needs_strict_order():
    found = failures(in_turn("a"), required="a", order="any", policy="dependent_call")
    assert found == [{"reason": "dependent_call_requires_strict_order", "call_order": "any"}]


def test_one_group_on_two_turns():
    assert failures([call("a", 0, 0), call("b", 1, 0)]) == [{"reason": "call_group_spans_turns", "call_group": 0}]


def test_positions_of_a_group_count_from_nought():
    calls = [call("a", 1, 2, 0), call("b", 1, 2, 2)]
    assert failures(calls) == [
        {"reason": "non_contiguous_group_positions", "turn_index": 1, "call_group": 2, "positions": [0, 2]}
    ]
    assert reasons([call("a", 0, 0, 1), call("b", 0, 0, 0)]) == []


def test_calls_without_usable_numbers_or_arguments_are_not_grouped():
    bad = [call("a", 0, 0, "x"), call("b", 1, 0, True), call("c", 2, 0, 5, arguments=[])]
    assert reasons([*bad, call("d", 3, 0, 0)]) == []


def test_irrelevant_tasks_call_nothing():
    assert reasons(in_turn("a"), policy="irrelevant") == ["irrelevant_task_has_calls"]
    assert reasons([], policy="irrelevant") == []
    assert reasons(in_turn("a"), policy="clarify_only") == []


def test_failures_come_in_the_contracts_order():
    calls = [call("b", 0, 0, 0), call("a", 1, 0, 2)]
    found = reasons(calls, required="abc", order="strict", prefix=2, policy="irrelevant")
    assert found == [
        "call_order_prefix_without_prefix_order",
        "call_order_mismatch",
        "call_group_spans_turns",
        "non_contiguous_group_positions",
        "irrelevant_task_has_calls",
        "required_tool_not_called",
    ]
