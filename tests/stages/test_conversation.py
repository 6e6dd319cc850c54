from __future__ import annotations

import pytest

from assay.stages.conversation import confirmed_call_turns, delivery_order, exchanges_of, shape_of, units_of
from assay.stages.records import PlanStep
from tests.support.models import template

CALL = {"type": "tool_call", "tool": "x"}
CONFIRM = {"type": "ask_confirm"}
FINAL = {"type": "final_answer"}
ASK = {"type": "ask_for_slot"}


def conversation(*milestones, after=(), updates=()):
    turns = [
        {"after": each, "slot_updates": {"n": {"source": "literal:1"}} if number in updates else {}}
        for number, each in enumerate(after)
    ]
    return template(assistant_milestones=list(milestones), user_simulator_turns=turns)


def shape(*milestones, **turns):
    return shape_of(exchanges_of(conversation(*milestones, **turns)))


def spoken(*milestones, after):
    """Say who speaks: `u0` for a user turn by its entry, milestone indices for the assistant."""
    steps = shape(*milestones, after=after).steps
    return " ".join(
        f"u{each.entry_index}" if each.kind == "user" else ",".join(map(str, each.milestones)) for each in steps[1:]
    )


def test_the_steps_of_a_conversation():
    found = shape(
        {**CONFIRM},
        {**CALL, "call_group": 7},
        {**CALL, "tool": "y", "call_group": 7},
        CALL,
        FINAL,
        after=["ask_confirm"],
    )
    assert found.steps == (
        PlanStep(kind="user", source="first_turn"),
        PlanStep(kind="text", milestone_type="ask_confirm", milestones=(0,), turn_index=0),
        PlanStep(kind="user", source="simulator", entry_index=0),
        PlanStep(kind="calls", milestones=(1, 2), call_group=0, turn_index=1, tools=("x", "y")),
        PlanStep(kind="calls", milestones=(3,), call_group=1, turn_index=2, tools=("x",)),
        PlanStep(kind="text", milestone_type="final_answer", milestones=(4,), turn_index=3),
    )
    assert (found.num_user_turns, found.num_tool_calls, found.confirmed_call_turns) == (2, 3, (1,))


@pytest.mark.parametrize(
    ("groups", "sizes"),
    [
        ([0, 0], [2]),
        ([None, None], [1, 1]),
        ([2, None], [1, 1]),
        ([1, "1"], [1, 1]),
        (["a", "a", "b", "b"], [2, 2]),
        ([3, 3, 1], [2, 1]),
    ],
)
def test_consecutive_calls_of_one_group_are_one_turn(groups, sizes):
    model = conversation(*({**CALL, "call_group": group} for group in groups))
    assert [len(unit) for unit in units_of(model)] == sizes
    assert [step.call_group for step in shape_of(exchanges_of(model)).steps[1:]] == list(range(len(sizes)))


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        (["ask_confirm"], "0 u0 1 2"),
        (["ask_confirm@0"], "0 u0 1 2"),
        (["final_answer", "ask_confirm"], "0 u1 1 2 u0"),
        (["tool_call", "tool_call@1"], "0 1 u1 u0 2"),
        (["tool_call", "tool_call"], "0 1 u0 u1 2"),
        (["nowhere"], "0 1 2"),
        ([None], "0 1 2"),
    ],
)
def test_replies_stand_after_the_milestone_that_they_name(after, expected):
    assert spoken(CONFIRM, CALL, FINAL, after=after) == expected


def test_an_id_replaces_the_implicit_key_but_not_the_type():
    named = {**CONFIRM, "id": "sure"}
    assert spoken(named, CALL, after=["sure", "ask_confirm", "ask_confirm@0"]) == "0 u0 u1 1"


def test_a_type_that_occurs_twice_resolves_nothing():
    assert spoken(CONFIRM, CALL, CONFIRM, after=["ask_confirm", "ask_confirm@2"]) == "0 1 2 u1"


def test_a_type_counts_also_where_milestones_have_ids():
    assert spoken({**CONFIRM, "id": "a"}, {**CONFIRM, "id": "b"}, after=["ask_confirm"]) == "0 1"


def test_replies_to_any_call_of_a_batch_come_after_the_whole_batch():
    batch = [{**CALL, "call_group": 1}, {**CALL, "call_group": 1, "id": "second"}]
    assert spoken(*batch, FINAL, after=["second", "tool_call@0"]) == "0,1 u1 u0 2"


def test_a_turn_is_spoken_once_at_the_first_milestone_it_fits():
    assert spoken({**FINAL, "id": "ask_confirm"}, CONFIRM, after=["ask_confirm"]) == "0 u0 1"


def test_delivery_order_ranks_entries_and_leaves_out_undelivered_ones():
    model = conversation(CONFIRM, CALL, FINAL, after=["final_answer", "nowhere", "ask_confirm"])
    assert delivery_order(model) == {2: 0, 0: 1}


@pytest.mark.parametrize(
    ("milestones", "after", "updates", "turns"),
    [
        ([CONFIRM, CALL], ["ask_confirm"], (), (1,)),
        ([CONFIRM, CALL], [], (), ()),
        ([CONFIRM, CALL, ASK, CALL], ["ask_confirm", "ask_for_slot"], (), (1,)),
        ([CONFIRM, ASK, CALL], ["ask_confirm", "ask_for_slot"], (), ()),
        ([CONFIRM, CALL, CALL], ["ask_confirm"], (), (1,)),
        ([CONFIRM, FINAL, CALL], ["ask_confirm"], (), (2,)),
        ([CONFIRM, FINAL, CALL], ["final_answer"], (), ()),
        ([CONFIRM, CALL], ["ask_confirm"], (0,), ()),
        ([CONFIRM, CALL], ["ask_confirm", "ask_confirm"], (0,), ()),
        ([CONFIRM, CALL], ["ask_confirm", "ask_confirm"], (1,), ()),
        ([CONFIRM, CALL], ["ask_confirm", "ask_confirm"], (), (1,)),
        ([CONFIRM, CONFIRM, CALL], ["ask_confirm@0", "ask_confirm@1"], (0,), (2,)),
        ([CONFIRM, CONFIRM, CALL], ["ask_confirm@0"], (), (2,)),
        ([CALL, CONFIRM], ["ask_confirm"], (), ()),
        ([CONFIRM, CALL], ["tool_call"], (), ()),
    ],
)
def test_one_approval_covers_the_next_batch_alone(milestones, after, updates, turns):
    found = shape(*milestones, after=after, updates=updates)
    assert found.confirmed_call_turns == turns
    assert confirmed_call_turns(found.steps) == turns


def test_a_reply_with_updates_is_a_correction():
    found = shape(CONFIRM, CONFIRM, CALL, after=["ask_confirm@0", "ask_confirm@1"], updates=(0,))
    assert [step.update_index for step in found.steps if step.kind == "user"] == [None, 0, None]
    assert found.has_slot_correction
