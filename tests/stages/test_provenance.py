from dataclasses import replace

import pytest

from assay.config import SurfaceGeneration
from assay.findings import Check, Severity
from assay.stages.provenance import OriginsAfterReplay
from assay.stages.render import render_pack
from assay.stages.schema_check import check_traces
from assay.stages.trace import derive_traces
from tests.support.models import line_of, run_config
from tests.support.records import replay
from tests.support.talks import PLACE_ORDER, asking, corrected, entry, function, slot, staged

CALL = {"type": "tool_call", "tool": "place_order"}
END = {"type": "final_answer"}


def no_engine():
    raise AssertionError("no call reads a result")


def origins(*entries, tools=(PLACE_ORDER,), settings=None, tasks=None, **given):
    """Render, derive and check; return the pack and what is said about where values come from."""
    made = staged(*entries, tools=tools, tasks=tasks, **given)
    config = run_config(surface_generation=settings or SurfaceGeneration())
    conversations = render_pack(made.pack, made.instances, made.plans, config).conversations
    traces = derive_traces(made.pack, made.instances, made.plans, no_engine, config).traces
    found = check_traces(made.pack, made.instances, made.plans, traces, conversations).findings
    codes = ("call_uses_unstated_value", "argument_from_nowhere")
    return made.pack, [each for each in found if each.code in codes]


def only(found):
    (one,) = found
    return one


def test_what_the_user_states_may_be_used():
    assert origins(entry(), asking(), corrected())[1] == []


def test_a_withheld_value_that_nobody_asks_for_is_unstated_under_any_policy():
    slots = {"order_ref": slot(["ORD-4"]), "loaves": slot([3, 7], visible=False)}
    made, found = origins(entry(slots=slots, user_turn_templates={"en": "Order {order_ref}."}), tasks=2)
    one = only(found)
    assert (one.code, one.severity) == ("call_uses_unstated_value", Severity.ERROR)
    assert one.check is Check.REPRESENTATIVE_GENERATION_CONTRACT
    assert (one.template_id, one.slot, one.tool) == ("bake", "loaves", "place_order")
    assert one.place.line == line_of(made.templates[0], "assistant_milestones", 0, "args", "loaves")
    assert one.detail["tasks"] == 2


def test_a_reply_that_does_not_state_the_value():
    turns = [{"after": "ask", "content_template": {"en": "The usual, please."}}]
    one = only(origins(asking(user_simulator_turns=turns))[1])
    assert (one.slot, one.detail["value"]) == ("loaves", 3)
    assert "states 3" in one.message


def test_a_value_filled_in_unasked_must_be_stated_too():
    slots = {"order_ref": slot(["ORD-4"], visible=False), "loaves": slot([6])}
    made, found = origins(entry(slots=slots, user_turn_templates={"en": "Order {loaves}."}))
    one = only(found)
    assert (one.slot, one.detail["argument"]) == ("order_ref", "order_ref")
    assert one.place.line == line_of(made.templates[0], "assistant_milestones", 0)


def test_a_value_stated_only_after_the_call():
    late = asking(
        turn_policy="multi_tool",
        assistant_milestones=[{**CALL, "args": {"loaves": "{loaves}"}}, {"id": "ask", "type": "ask_for_slot"}, CALL],
    )
    made, found = origins(late)
    one = only(found)
    assert one.slot == "loaves"
    assert one.place.line == line_of(made.templates[0], "assistant_milestones", 0, "args", "loaves")


def test_what_counts_is_the_value_in_force():
    turns = corrected()["user_simulator_turns"]
    turns[0] = {**turns[0], "content_template": {"en": "Rather more."}}
    settings = SurfaceGeneration(preserve_slot_values=False)
    one = only(origins(corrected(user_simulator_turns=turns), settings=settings)[1])
    assert (one.slot, one.detail["value"]) == ("loaves", 8)


def test_an_assistant_turn_states_nothing_for_the_user():
    milestones = asking()["assistant_milestones"]
    milestones[0] = {**milestones[0], "content_template": {"en": "Is it {loaves}?"}}
    turns = [{"after": "ask", "content_template": {"en": "Yes."}}]
    assert only(origins(asking(assistant_milestones=milestones, user_simulator_turns=turns))[1]).slot == "loaves"


def test_what_a_guard_misses_already_is_not_told_again():
    assert origins(entry(user_turn_templates={"en": "Order {order_ref}."}))[1] == []
    settings = SurfaceGeneration(preserve_slot_values=False)
    assert only(origins(entry(user_turn_templates={"en": "Order {order_ref}."}), settings=settings)[1]).slot == "loaves"


def test_a_slot_used_twice_in_a_call_is_told_once():
    slots = {"order_ref": slot(["ORD-4"]), "loaves": slot([3], visible=False)}
    call = {**CALL, "args": {"loaves": "{loaves}", "finish": "{loaves}"}}
    bad = entry(slots=slots, user_turn_templates={"en": "Order {order_ref}."}, assistant_milestones=[call, END])
    assert only(origins(bad)[1]).detail["argument"] == "loaves"


# Literals.


def literal(value, *, text="Order {order_ref}.", tool_entry=None, **given):
    """What is said about an order with a literal argument `note`."""
    entries = entry(
        slots={"order_ref": slot(["ORD-4"])},
        user_turn_templates={"en": text},
        assistant_milestones=[{**CALL, "args": {"note": value}}, END],
    )
    described = tool_entry or function("place_order", required=["order_ref"], order_ref={}, note={})
    return origins(entries, tools=[described], **given)


@pytest.mark.parametrize("value", ["rush", 250, 2.5, ["rush"], {"deep": ["rush"]}])
def test_a_literal_from_nowhere(value):
    made, found = literal(value)
    one = only(found)
    assert (one.code, one.severity, one.tool) == ("argument_from_nowhere", Severity.WARNING, "place_order")
    assert one.template_id == "bake"
    line = line_of(made.templates[0], "assistant_milestones", 0, "args", "note")
    assert one.place.line >= line


def test_it_is_told_where_the_literal_stands():
    made, found = literal({"deep": ["{order_ref}", "rush"]})
    one = only(found)
    assert one.detail["argument"] == "note.deep[1]"
    assert one.place.line == line_of(made.templates[0], "assistant_milestones", 0, "args", "note", "deep", 1)


@pytest.mark.parametrize("value", [True, False, None, "", " ", [], {}, "{order_ref}", "WEB/{order_ref}"])
def test_decisions_and_slots_are_no_literals_from_nowhere(value):
    assert literal(value)[1] == []


@pytest.mark.parametrize(
    "described",
    [
        function("place_order", required=["order_ref"], description="Use rush for tonight.", order_ref={}, note={}),
        function("place_order", required=["order_ref"], order_ref={}, note={"description": "rush or slow"}),
        function("place_order", required=["order_ref"], order_ref={}, note={"enum": ["slow", "rush"]}),
        function("place_order", required=["order_ref"], order_ref={}, note={"default": "rush"}),
        function("place_order", required=["order_ref"], order_ref={}, note={"const": "rush"}),
        function("place_order", required=["order_ref"], order_ref={}, note={"examples": ["rush"]}),
        function("place_order", required=["order_ref"], order_ref={}, note={"allOf": [{"items": {"enum": ["rush"]}}]}),
    ],
)
def test_the_tool_may_explain_it(described):
    assert literal("rush", tool_entry=described)[1] == []


def test_the_user_may_state_it():
    assert literal("rush", text="A rush order {order_ref}.")[1] == []
    assert literal(250, text="Order {order_ref} for 250.")[1] == []
    assert len(literal(25, text="Order {order_ref} for 250.")[1]) == 1


def test_the_system_prompt_may_state_it():
    assert literal("rush", system_prompt="All orders are rush orders.")[1] == []


def test_a_bound_of_the_schema_explains_nothing():
    described = function("place_order", required=["order_ref"], order_ref={}, note={"minimum": 250})
    assert len(literal(250, tool_entry=described)[1]) == 1


def two_calls():
    """A conversation in which the second call has a literal."""
    return entry(
        turn_policy="multi_tool",
        slots={"order_ref": slot(["ORD-4"])},
        user_turn_templates={"en": "Order {order_ref}."},
        assistant_milestones=[CALL, {**CALL, "args": {"finish": "rush"}}, END],
    )


def test_a_literal_after_an_earlier_call_may_come_from_its_result():
    assert origins(two_calls())[1] == []


def after_replay(made, conversations, replays):
    origins = OriginsAfterReplay(made.pack)
    for instance, plan, conversation in zip(made.instances, made.plans, conversations, strict=True):
        attempts = [each for each in replays if each.task_id == instance.task_id]
        origins.look_at(instance, plan, conversation, attempts)
    return origins.findings()


@pytest.mark.parametrize(
    ("result", "known"),
    [
        ({"finish": "rush"}, True),
        ({"rows": [{"note": "a rush order"}]}, True),
        ({"finish": "rushed"}, False),
        ({"rush": 1}, False),
        ({}, False),
    ],
)
def test_results_decide_about_literals_after_them(result, known):
    made = staged(two_calls())
    conversations = render_pack(made.pack, made.instances, made.plans, run_config()).conversations
    replays = [replay(made.instances[0], result, {}, tool="place_order", attempt=attempt) for attempt in (1, 2)]
    found = after_replay(made, conversations, replays)
    assert [each.code for each in found] == ([] if known else ["argument_from_nowhere"])


def test_replays_that_did_not_end_and_literals_before_any_call_decide_nothing():
    made = staged(two_calls(), entry(template_id="first", assistant_milestones=[{**CALL, "args": {"x": "rush"}}]))
    conversations = render_pack(made.pack, made.instances, made.plans, run_config()).conversations
    replays = [
        replay(made.instances[0], {}, {}, completed=False),
        replay(made.instances[0], {}, {}, attempt=2),
        replay(made.instances[1], {}),
    ]
    assert after_replay(made, conversations, replays) == ()


def test_results_of_the_same_batch_come_too_late():
    batch = two_calls()
    batch["assistant_milestones"][:2] = [{**each, "call_group": 1} for each in batch["assistant_milestones"][:2]]
    assert only(origins(batch)[1]).code == "argument_from_nowhere"


def test_instances_without_a_conversation_are_passed_over():
    made = staged(entry(user_turn_templates={"en": "Order {order_ref}."}))
    traces = derive_traces(made.pack, made.instances, made.plans, no_engine, run_config()).traces
    assert check_traces(made.pack, made.instances, made.plans, traces).findings == ()
    assert all(replace(each, calls=()) for each in traces)
