from __future__ import annotations

import pytest

from assay.findings import Check, Severity
from assay.pack.model import TURN_POLICIES
from assay.stages.bind import bind_pack
from assay.stages.plan import plan_pack, plan_template
from tests.support.models import line_of, pack, run_config, template

CALL = {"type": "tool_call", "tool": "checkout_book"}
CONFIRM = {"type": "ask_confirm"}
FINAL = {"type": "final_answer"}
ASK = {"type": "ask_for_slot"}
DECLINE = {"type": "decline"}
HIDDEN = {"source": "literal:1", "visible_in_first_turn": False}
VISIBLE = {"source": "literal:1"}

# The worked shapes of the seed.
SINGLE = {"turn_policy": "single_turn", "assistant_milestones": [CALL, FINAL]}
CONFIRMED = {
    "turn_policy": "confirmation",
    "assistant_milestones": [CONFIRM, CALL, FINAL],
    "user_simulator_turns": [{"after": "ask_confirm"}],
}
MISSING = {
    "turn_policy": "missing_slot",
    "slots": {"record_id": HIDDEN},
    "assistant_milestones": [{**ASK, "slot": "record_id"}, CALL, FINAL],
    "user_simulator_turns": [{"after": "ask_for_slot"}],
}
IRRELEVANT = {"turn_policy": "irrelevant", "assistant_milestones": [DECLINE]}


def plan(entry, **changes):
    return plan_template(template(entry, template_id="t", **changes))


def found(entry, **changes):
    """Return kind (or code) and place, told as the path in the entry, of every finding."""
    model = template(entry, template_id="t", **changes)
    paths = {line: path[1:] for path, (line, _) in model.at.document.places.values.items()}
    _, findings = plan_template(model)
    return [((each.detail or {}).get("kind", each.code), paths[each.place.line]) for each in findings]


# Worked shapes, and each broken in one place


@pytest.mark.parametrize("entry", [SINGLE, CONFIRMED, MISSING, IRRELEVANT])
def test_the_worked_shapes_are_sound(entry):
    shape, findings = plan(entry)
    assert shape is not None
    assert findings == ()


def test_removing_the_reply_leaves_the_confirmation_unanswered():
    assert found(CONFIRMED, user_simulator_turns=[]) == [
        ("question_without_reply", ("assistant_milestones", 0)),
        ("call_not_authorised", ("assistant_milestones", 1)),
    ]
    _, (root, consequence) = plan(CONFIRMED, user_simulator_turns=[])
    assert (root.code, root.check) == ("invalid_conversation_plan", Check.TEMPLATE_TOOL_NAMES)
    assert "`ask_confirm` (milestone 1)" in root.message
    assert "user_simulator_turns" in root.message
    assert "after: ask_confirm@0" in root.fix
    assert consequence.root == root.id


def test_moving_the_call_before_the_question_leaves_it_unauthorised():
    moved = [CALL, CONFIRM, FINAL]
    assert found(CONFIRMED, assistant_milestones=moved) == [("call_not_authorised", ("assistant_milestones", 0))]
    _, (only,) = plan(CONFIRMED, assistant_milestones=moved)
    assert (only.tool, only.root, only.severity) == ("checkout_book", None, Severity.ERROR)


@pytest.mark.parametrize("milestones", [[CALL, DECLINE], [CALL, CALL, DECLINE]])
def test_a_call_in_an_irrelevant_template(milestones):
    calls = [("call_planned", ("assistant_milestones", index)) for index in range(len(milestones) - 1)]
    assert found(IRRELEVANT, assistant_milestones=milestones) == calls


def test_an_irrelevant_template_that_does_not_end_in_decline():
    assert found(IRRELEVANT, assistant_milestones=[DECLINE, FINAL]) == [("wrong_closing", ("assistant_milestones", 1))]
    assert found(IRRELEVANT, assistant_milestones=[DECLINE, CALL]) == [
        ("call_planned", ("assistant_milestones", 1)),
        ("wrong_closing", ("assistant_milestones", 1)),
        ("conversation_not_closed", ("assistant_milestones", 1)),
    ]


def test_a_missing_slot_that_is_never_answered():
    assert found(MISSING, user_simulator_turns=[]) == [("question_without_reply", ("assistant_milestones", 0))]


# The other policies


@pytest.mark.parametrize(
    ("policy", "fields", "expected"),
    [
        (
            "single_turn",
            {"user_simulator_turns": [{"after": "tool_call"}]},
            [("several_user_turns", ("user_simulator_turns", 0))],
        ),
        ("multi_tool", {}, [("single_call", ("turn_policy",))]),
        ("multi_tool", {"assistant_milestones": [CALL, CALL, FINAL]}, []),
        ("multi_tool", {"assistant_milestones": [{**CALL, "call_group": 1}, {**CALL, "call_group": 1}, FINAL]}, []),
        ("confirmation", {}, [("call_not_authorised", ("assistant_milestones", 0))]),
        ("correction", {}, [("correction_without_update", ("turn_policy",))]),
        ("negative_path", {}, [("negative_path_without_assertion", ("turn_policy",))]),
        ("negative_path", {"success_assertions": ["a"]}, []),
        ("dependent_call", {}, []),
        ("missing_slot", {}, [("no_withheld_slot", ("turn_policy",))]),
        (
            "clarify_only",
            {},
            [("call_planned", ("assistant_milestones", 0)), ("wrong_closing", ("assistant_milestones", 1))],
        ),
        ("clarify_only", {"assistant_milestones": [ASK]}, []),
        ("unheard_of", {}, []),
    ],
)
def test_policies_are_held_to_their_shape(policy, fields, expected):
    assert found(SINGLE, turn_policy=policy, **fields) == expected


@pytest.mark.parametrize("policy", sorted({*TURN_POLICIES} - {"irrelevant", "clarify_only"}))
def test_seven_policies_need_a_call(policy):
    assert ("no_call", ("turn_policy",)) in found({}, turn_policy=policy, assistant_milestones=[FINAL])


def test_several_user_turns_are_counted():
    turns = [{"after": "tool_call"}, {"after": "tool_call"}]
    _, findings = plan(SINGLE, user_simulator_turns=turns)
    assert "3 are planned" in findings[0].message


def test_a_correction_that_is_never_spoken_follows_from_its_reference():
    turns = [{"after": "nowhere", "slot_updates": {"n": VISIBLE}}]
    _, (root, consequence) = plan(SINGLE, turn_policy="correction", slots={"n": VISIBLE}, user_simulator_turns=turns)
    assert (root.detail["kind"], consequence.detail["kind"]) == ("after_unresolved", "correction_without_update")
    assert consequence.root == root.id


TWO_HIDDEN = {"slots": {"record_id": HIDDEN, "year": HIDDEN, "shown": VISIBLE}}


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (TWO_HIDDEN, [("slot_never_asked", ("slots", "year"))]),
        (
            {**TWO_HIDDEN, "assistant_milestones": [ASK, CALL, FINAL]},
            [
                ("ask_for_slot_without_a_named_slot", ("assistant_milestones", 0)),
                ("slot_never_asked", ("slots", "record_id")),
                ("slot_never_asked", ("slots", "year")),
            ],
        ),
        ({"assistant_milestones": [ASK, CALL, FINAL]}, []),
        (
            {
                "assistant_milestones": [{**ASK, "slot": "record_id"}, {**ASK, "slot": "record_id"}, CALL, FINAL],
                "user_simulator_turns": [{"after": "ask_for_slot@0"}, {"after": "ask_for_slot@1"}],
            },
            [],
        ),
        (
            {
                "slots": {"record_id": HIDDEN, "shown": VISIBLE},
                "assistant_milestones": [{**ASK, "slot": "shown"}, CALL, FINAL],
            },
            [("slot_not_withheld", ("assistant_milestones", 0, "slot")), ("slot_never_asked", ("slots", "record_id"))],
        ),
        (
            {"assistant_milestones": [{**ASK, "slot": "record"}, CALL, FINAL]},
            [("unknown_slot", ("assistant_milestones", 0, "slot")), ("slot_never_asked", ("slots", "record_id"))],
        ),
        (
            {"assistant_milestones": [CALL, {**ASK, "slot": "record_id"}, FINAL]},
            [("question_after_call", ("assistant_milestones", 1))],
        ),
        (
            {"assistant_milestones": [CALL, {**ASK, "slot": "record_id"}], "user_simulator_turns": []},
            [
                ("question_after_call", ("assistant_milestones", 1)),
                ("question_without_reply", ("assistant_milestones", 1)),
            ],
        ),
    ],
)
def test_every_withheld_slot_is_asked_for_and_answered_before_the_first_call(fields, expected):
    assert found(MISSING, **fields) == expected


@pytest.mark.parametrize(
    ("question", "root"),
    [
        (ASK, "ask_for_slot_without_a_named_slot"),
        ({**ASK, "slot": "shown"}, "invalid_conversation_plan"),
        ({**ASK, "slot": "record"}, "invalid_conversation_plan"),
    ],
)
def test_a_question_that_asks_for_no_withheld_slot_is_the_root_of_slots_that_nobody_asks_for(question, root):
    _, (asked, *unasked) = plan(MISSING, **TWO_HIDDEN, assistant_milestones=[question, CALL, FINAL])
    assert (asked.code, asked.root) == (root, None)
    assert [each.detail["kind"] for each in unasked] == ["slot_never_asked"] * 2
    assert {each.root for each in unasked} == {asked.id}


def test_an_unnamed_question_among_several_hidden_slots_is_refused_under_every_policy():
    fields = {"turn_policy": "clarify_only", **TWO_HIDDEN, "assistant_milestones": [ASK]}
    (only,) = plan({}, **fields)[1]
    assert (only.code, only.severity) == ("ask_for_slot_without_a_named_slot", Severity.ERROR)
    assert "`record_id`, `year`" in only.message


def test_a_question_for_an_unknown_slot_elsewhere_is_a_warning():
    (only,) = plan({}, turn_policy="clarify_only", assistant_milestones=[{**ASK, "slot": "nowhere"}])[1]
    assert (only.detail["kind"], only.severity) == ("unknown_slot", Severity.WARNING)


# Milestones and references


@pytest.mark.parametrize("milestones", [None, []])
def test_a_template_without_milestones(milestones):
    shape, (only,) = plan({}, assistant_milestones=milestones)
    assert shape is None
    assert (only.detail["kind"], "milestone" in only.message) == ("no_milestones", True)


def test_an_unknown_milestone_type_is_the_root_of_what_it_brings_about():
    milestones = [{"type": "tool_cal", "tool": "x"}, FINAL]
    assert found(SINGLE, assistant_milestones=milestones) == [
        ("unknown_milestone_type", ("assistant_milestones", 0, "type")),
        ("no_call", ("turn_policy",)),
    ]
    _, (root, consequence) = plan(SINGLE, assistant_milestones=milestones)
    assert "Did you mean `tool_call`" in root.message
    assert consequence.root == root.id


def test_a_type_that_the_loader_could_not_read_is_not_told_again():
    assert [kind for kind, _ in found(SINGLE, assistant_milestones=[CALL, {}, FINAL])] == []


def test_a_split_group_is_named():
    milestones = [{**CALL, "call_group": 4}, FINAL, {**CALL, "call_group": 4}, CALL, FINAL]
    assert found(SINGLE, assistant_milestones=milestones) == [
        ("call_group_split", ("assistant_milestones", 2, "call_group"))
    ]
    assert "call_group 4" in plan(SINGLE, assistant_milestones=milestones)[1][0].message


def test_a_group_split_by_another_call():
    groups = [1, 2, 1, None, "1"]
    milestones = [*({**CALL, "call_group": group} for group in groups), FINAL]
    assert [path for _, path in found(SINGLE, assistant_milestones=milestones)] == [
        ("assistant_milestones", 2, "call_group")
    ]


def test_every_reference_that_leads_nowhere_is_told_at_its_after():
    milestones = [{**CONFIRM, "id": "sure"}, CONFIRM, CALL, FINAL]
    turns = [
        {"after": "sure"},
        {},
        {"after": "ask_confirm"},
        {"after": "sur"},
        {"after": "ask_confirm@1"},
        {"after": "ask_confirm@0"},
    ]
    entry = {**CONFIRMED, "assistant_milestones": milestones, "user_simulator_turns": turns}
    assert found(entry) == [
        ("after_missing", ("user_simulator_turns", 1)),
        ("after_ambiguous", ("user_simulator_turns", 2, "after")),
        ("after_unresolved", ("user_simulator_turns", 3, "after")),
        ("after_unresolved", ("user_simulator_turns", 5, "after")),
    ]
    _, findings = plan(entry)
    assert "`sure`, `ask_confirm@1`" in findings[1].message
    assert "Did you mean `sure`?" in findings[2].message
    assert all(each.detail["field"] == "user_simulator_turns" for each in findings)


def test_an_unanswered_question_follows_from_the_reference_that_missed_it():
    _, (root, unanswered, unauthorised) = plan(CONFIRMED, user_simulator_turns=[{"after": "ask_confrm"}])
    assert [each.detail["kind"] for each in (root, unanswered, unauthorised)] == [
        "after_unresolved",
        "question_without_reply",
        "call_not_authorised",
    ]
    assert unanswered.root == unauthorised.root == root.id


@pytest.mark.parametrize("identity", ["ask_confirm", "ask_confirm@1"])
def test_an_id_that_reads_like_another_milestone_is_warned_of(identity):
    milestones = [{**FINAL, "id": identity}, CONFIRM, CALL, FINAL]
    entry = {**CONFIRMED, "assistant_milestones": milestones, "user_simulator_turns": [{"after": identity}]}
    _, findings = plan(entry)
    (warned,) = [each for each in findings if each.code == "ambiguous_milestone_reference"]
    assert warned.severity is Severity.WARNING
    assert "milestone 1" in warned.message
    assert "milestone 2" in warned.message


def test_an_id_equal_to_its_own_type_is_clear():
    assert found({**CONFIRMED, "assistant_milestones": [{**CONFIRM, "id": "ask_confirm"}, CALL, FINAL]}) == []


@pytest.mark.parametrize(
    ("fields", "at"),
    [
        ({"assistant_milestones": [CALL]}, ("assistant_milestones", 0)),
        ({"assistant_milestones": [{**CALL, "call_group": 1}, {**CALL, "call_group": 1}]}, ("assistant_milestones", 1)),
        (
            {
                "turn_policy": "clarify_only",
                "assistant_milestones": [ASK],
                "user_simulator_turns": [{"after": "ask_for_slot"}],
            },
            ("user_simulator_turns", 0),
        ),
    ],
)
def test_a_conversation_that_is_not_closed(fields, at):
    assert found(SINGLE, **fields) == [("conversation_not_closed", at)]
    assert plan(SINGLE, **fields)[1][0].severity is Severity.WARNING


def planned(entry):
    """Return the plan of an entry's first instance."""
    model = pack({**entry, "template_id": "t"}, fixtures={})
    return plan_pack(model, bind_pack(model, run_config()).instances).plans[0]


CORRECTED = {
    "turn_policy": "correction",
    "slots": {"amount": {"source": "literal:10"}},
    "assistant_milestones": [{**CONFIRM, "id": "first"}, {**CONFIRM, "id": "second"}, CALL, FINAL],
    "user_simulator_turns": [{"after": "first", "slot_updates": {"amount": {"source": "literal:20"}}}],
}


def test_a_second_question_after_the_replacement_is_what_authorises_the_call():
    twice = [*CORRECTED["user_simulator_turns"], {"after": "second"}]
    plan_twice = planned({**CORRECTED, "user_simulator_turns": twice})
    assert (plan_twice.has_slot_correction, plan_twice.has_user_confirmation) == (True, True)
    assert plan_twice.confirmed_call_turns == (2,)


def test_a_replacement_in_reply_to_the_only_question_authorises_nothing():
    once = {**CORRECTED, "assistant_milestones": [CONFIRM, CALL, FINAL]}
    plan_once = planned(
        {**once, "user_simulator_turns": [{**CORRECTED["user_simulator_turns"][0], "after": "ask_confirm"}]}
    )
    assert (plan_once.has_slot_correction, plan_once.has_user_confirmation) == (True, False)
    assert plan_once.confirmed_call_turns == ()


# Instances


def test_every_instance_gets_the_plan_of_its_template():
    entries = [
        {**CONFIRMED, "template_id": "good", "slots": {"n": {"source": "literal:[1, 2]"}}},
        {**IRRELEVANT, "template_id": "bad", "assistant_milestones": [FINAL]},
    ]
    model = pack(*entries)
    instances = bind_pack(model, run_config(2)).instances
    result = plan_pack(model, instances)
    assert [each.task_id for each in result.plans] == [each.task_id for each in instances if each.template_id == "good"]
    plan_one = result.plans[0]
    assert (plan_one.turn_policy, plan_one.num_user_turns, plan_one.num_tool_calls) == ("confirmation", 2, 1)
    assert (plan_one.is_multi_turn, plan_one.has_user_confirmation, plan_one.has_slot_correction) == (True, True, False)
    assert plan_one.confirmed_call_turns == (1,)
    assert plan_one.steps[0].source == "first_turn"
    assert set(result.shapes) == {"good", "bad"}
    assert [each.template_id for each in result.findings] == ["bad"]


def test_faulty_and_reserved_templates_are_planned_too():
    entries = [{"template_id": "a", "faulty": True}, {"template_id": "b"}]
    result = plan_pack(pack(*entries, reserved={"templates": ["b"]}), [])
    assert [each.template_id for each in result.findings] == ["a", "b"]


def test_of_templates_with_one_id_the_first_shape_counts():
    entries = [{**SINGLE, "template_id": "a"}, {**CONFIRMED, "template_id": "a", "faulty": True}]
    assert plan_pack(pack(*entries), []).shapes["a"].num_user_turns == 1


def test_the_line_of_a_withheld_slot_is_that_of_its_key():
    model = template(MISSING, template_id="t", assistant_milestones=[CALL, FINAL], user_simulator_turns=[])
    _, (only,) = plan_template(model)
    assert (only.slot, only.place.line, only.place.column) == ("record_id", line_of(model, "slots", "record_id"), 1)
