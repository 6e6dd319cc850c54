from dataclasses import replace

import pytest

from assay.findings import Check, Severity
from assay.stages.trace import derive_traces
from tests.support.models import line_of, run_config
from tests.support.talks import PLACE_ORDER, corrected, entry, function, slot, staged


def no_engine():
    raise AssertionError("no call reads a result, so no oracle may be started")


def derived(*entries, **given):
    """Derive the calls of template entries without an oracle; return the pack and the result."""
    made = staged(*entries, **given)
    return made.pack, derive_traces(made.pack, made.instances, made.plans, no_engine, run_config())


def calling(*calls, slots=None, text="x", **fields):
    """A template entry that makes these calls, given as milestone fields."""
    milestones = [{"type": "tool_call", "tool": "place_order", **call} for call in calls]
    return entry(
        slots=slots or {"order_ref": slot(["ORD-4"]), "loaves": slot([6])},
        user_turn_templates={"en": text},
        assistant_milestones=[*milestones, {"type": "final_answer"}],
        **fields,
    )


def arguments(*entries, **given):
    _, result = derived(*entries, **given)
    assert result.findings == ()
    return [call.arguments for call in result.traces[0].calls]


def only(result):
    (found,) = result.findings
    return found


def test_calls_carry_their_place_in_the_conversation():
    made = staged(
        calling({"call_group": 7}, {"call_group": 7}, {"call_group": "a"}, {}, turn_policy="multi_tool"),
    )
    result = derive_traces(made.pack, made.instances, made.plans, no_engine, run_config())
    (trace,) = result.traces
    assert [
        (call.turn_index, call.call_group, call.position_in_group, call.milestone, call.function_name)
        for call in trace.calls
    ] == [
        (0, 0, 0, 0, "place_order"),
        (0, 0, 1, 1, "place_order"),
        (1, 1, 0, 2, "place_order"),
        (2, 2, 0, 3, "place_order"),
    ]
    assert (trace.task_id, trace.template_id, trace.turn_policy) == (made.instances[0].task_id, "bake", "multi_tool")
    assert trace.derived
    assert result.final


def test_a_required_parameter_takes_the_slot_of_its_name():
    assert arguments(calling({})) == [{"order_ref": "ORD-4"}]


def test_an_optional_parameter_is_never_filled_in():
    assert arguments(calling({"args": {"order_ref": "{order_ref}"}})) == [{"order_ref": "ORD-4"}]


def test_a_declared_null_counts_as_given():
    assert arguments(calling({"args": {"order_ref": None}})) == [{"order_ref": None}]


def test_schema_defaults_are_not_inserted():
    tool = function("place_order", required=["n"], n={"type": "integer"}, confirm={"type": "boolean", "default": False})
    assert arguments(calling({"args": {"n": 1}}), tools=[tool]) == [{"n": 1}]


def test_a_name_required_only_below_the_top_is_not_filled_in():
    tool = function("place_order", required=["n"], n={"type": "integer"})
    tool["function"]["parameters"]["allOf"] = [{"required": ["order_ref"]}]
    assert arguments(calling({"args": {"n": 1}}), tools=[tool]) == [{"n": 1}]


def test_types_survive_exact_placeholders_and_text_comes_of_embedded_ones():
    args = {"order_ref": "WEB/{order_ref}", "loaves": "{loaves}", "finish": "{loaves}!"}
    assert arguments(calling({"args": args})) == [{"order_ref": "WEB/ORD-4", "loaves": 6, "finish": "6!"}]


def test_a_placeholder_without_a_slot_is_told_once_at_its_argument():
    broken = calling({"args": {"order_ref": ["x", "WEB/{ticket}"]}}, slots={"order_ref": slot(["A", "B"])})
    pack, result = derived(broken, tasks=2)
    found = only(result)
    assert (found.code, found.template_id) == ("unbound_placeholder", "bake")
    assert found.place.line == line_of(pack.templates[0], "assistant_milestones", 0, "args", "order_ref", 1)
    assert [each.drop_reason for each in result.traces] == ["the template has a fault: unbound_placeholder"] * 2


def test_a_lookalike_in_an_argument_is_told_and_stays():
    pack, result = derived(calling({"args": {"finish": "{order.ref}"}}))
    found = only(result)
    assert (found.code, found.severity) == ("suspicious_placeholder", Severity.WARNING)
    assert found.place.line == line_of(pack.templates[0], "assistant_milestones", 0, "args", "finish")
    assert result.traces[0].calls[0].arguments["finish"] == "{order.ref}"


def test_a_call_after_the_correction_uses_the_new_value():
    assert arguments(corrected()) == [{"order_ref": "ORD-4", "loaves": 8}]


def call_first(**fields):
    milestones = corrected()["assistant_milestones"]
    return corrected(assistant_milestones=[milestones[2], *milestones[:2], milestones[3]], **fields)


def test_a_call_before_the_correction_uses_what_the_user_takes_back():
    slots = {"order_ref": slot(["ORD-4", "ORD-5"]), "loaves": slot([6])}
    pack, result = derived(call_first(slots=slots), tasks=2)
    found = only(result)
    assert found.code == "superseded_slot_value_in_trace"
    assert (found.severity, found.check) == (Severity.ERROR, Check.REPRESENTATIVE_GENERATION_CONTRACT)
    assert (found.template_id, found.slot, found.tool) == ("bake_revised", "loaves", "place_order")
    assert found.place.line == line_of(pack.templates[0], "assistant_milestones", 0, "args", "loaves")
    assert found.detail["argument"] == "loaves"
    assert (found.detail["value"], found.detail["final_value"], found.detail["tasks"]) == (6, 8, 2)
    assert [each.derived for each in result.traces] == [False, False]


def test_the_rule_follows_the_slot_not_the_name_of_the_argument():
    renamed = call_first()
    renamed["assistant_milestones"][0] = {"type": "tool_call", "tool": "place_order", "args": {"finish": ["{loaves}"]}}
    _, result = derived(renamed)
    assert only(result).detail["argument"] == "finish[0]"
    unrelated = call_first()
    unrelated["assistant_milestones"][0] = {"type": "tool_call", "tool": "place_order", "args": {"loaves": 6}}
    _, result = derived(unrelated)
    assert result.findings == ()


def test_other_slots_with_the_same_value_are_not_withdrawn():
    other = call_first(slots={"order_ref": slot([6]), "loaves": slot([6])})
    other["assistant_milestones"][0] = {"type": "tool_call", "tool": "place_order"}
    assert arguments(other) == [{"order_ref": 6}]


def test_a_value_that_comes_back_is_not_stale():
    back = call_first()
    back["user_simulator_turns"][1] = {
        "after": "check_two",
        "content_template": {"en": "No, {again}."},
        "slot_updates": {"loaves": {"source": "literal:[6]", "bind_as": "again"}},
    }
    assert arguments(back) == [{"order_ref": "ORD-4", "loaves": 6}]


def test_a_faulty_template_costs_the_others_nothing():
    _, result = derived(calling({"args": {"x": "{nobody}"}}, template_id="broken"), calling({}))
    assert [(each.template_id, each.derived) for each in result.traces] == [("broken", False), ("bake", True)]


def test_templates_without_instances_are_checked_too():
    made = staged(calling({"args": {"x": "{nobody}"}}))
    result = derive_traces(made.pack, (), (), no_engine, run_config())
    assert result.traces == ()
    assert only(result).code == "unbound_placeholder"


def test_a_task_without_calls_has_an_empty_trace():
    _, result = derived(entry(turn_policy="irrelevant", required_tools=[], assistant_milestones=[{"type": "decline"}]))
    assert result.traces[0].calls == ()
    assert result.traces[0].derived


def test_traces_come_in_the_order_of_the_instances():
    slots = {"order_ref": slot(["A", "B", "C"])}
    made = staged(calling({}, slots=slots), calling({}, slots=slots, template_id="z"), tasks=6)
    result = derive_traces(made.pack, made.instances, made.plans, no_engine, run_config())
    assert [each.task_id for each in result.traces] == [each.task_id for each in made.instances]
    assert result == derive_traces(made.pack, made.instances, made.plans, no_engine, run_config())


# Markers as written: told once per template, without an oracle.


def marked(body, *, first=None, second=None, policy="dependent_call", **fields):
    """A template whose second call reads the first one's result."""
    return calling(
        {"id": "search", "call_group": 0, **(first or {})},
        {"call_group": 1, "args": {"order_ref": {"from_result": body}}, **(second or {})},
        turn_policy=policy,
        **fields,
    )


READS = {"call": "search", "path": "items.0.id"}


@pytest.mark.parametrize(
    ("body", "kind", "said"),
    [
        (None, "marker_not_object", "null"),
        ("search", "marker_not_object", "search"),
        ([1], "marker_not_object", "[1]"),
        ({}, "marker_malformed", "call"),
        ({"call": "search"}, "marker_malformed", "path"),
        ({"call": 1, "path": "a"}, "marker_malformed", "call"),
        ({"call": "search", "path": ""}, "marker_malformed", "path"),
        ({"call": "search", "path": ["a"]}, "marker_malformed", "path"),
        ({"call": "serach", "path": "a"}, "unknown_producer", "Did you mean `search`?"),
        ({"call": "bye", "path": "a"}, "unknown_producer", "`bye`"),
    ],
)
def test_malformed_markers(body, kind, said):
    entries = marked(body)
    entries["assistant_milestones"][-1]["id"] = "bye"
    pack, result = derived(entries)
    found = only(result)
    assert (found.code, found.template_id, found.tool) == ("dependent_call_binding_failed", "bake", "place_order")
    assert found.detail == {"kind": kind}
    assert found.place.line == line_of(pack.templates[0], "assistant_milestones", 1, "args", "order_ref")
    assert said in found.message
    assert not result.traces[0].derived


def test_a_producer_must_come_earlier():
    later = calling({"args": {"order_ref": {"from_result": READS}}}, {"id": "search"}, turn_policy="dependent_call")
    _, result = derived(later)
    assert only(result).detail == {"kind": "producer_not_earlier"}
    own = calling({"id": "search", "args": {"order_ref": {"from_result": READS}}}, turn_policy="dependent_call")
    _, result = derived(own)
    assert only(result).detail == {"kind": "producer_not_earlier"}


def test_a_batch_cannot_feed_itself():
    _, result = derived(marked(READS, second={"call_group": 0}))
    found = only(result)
    assert found.detail == {"kind": "producer_in_same_group"}
    assert "call_group" in found.message


def test_every_marker_of_a_template_is_told():
    both = marked(READS, second={"args": {"a": {"from_result": 1}, "b": [{"from_result": {"call": "x", "path": "y"}}]}})
    _, result = derived(both)
    assert [each.detail["kind"] for each in result.findings] == ["marker_not_object", "unknown_producer"]


def test_a_marker_needs_the_policy_dependent_call():
    pack, result = derived(marked(READS, policy="multi_tool"))
    found = only(result)
    assert (found.code, found.detail) == ("dependent_call_binding_failed", {"kind": "marker_without_policy"})
    assert "dependent_call" in found.message
    assert found.place.line == line_of(pack.templates[0], "assistant_milestones", 1, "args", "order_ref")


def test_the_policy_dependent_call_needs_a_marker():
    pack, result = derived(calling({}, {}, turn_policy="dependent_call"))
    found = only(result)
    assert (found.code, found.detail) == ("dependent_call_binding_failed", {"kind": "policy_without_marker"})
    assert "from_result" in found.message
    assert found.place.line == line_of(pack.templates[0], "turn_policy")


def test_extra_keys_in_a_markers_body_are_ignored_and_beside_it_make_it_plain_data():
    _, result = derived(marked({**READS, "note": "x"}, policy="multi_tool"))
    assert only(result).detail == {"kind": "marker_without_policy"}
    plain = {"args": {"order_ref": {"from_result": READS, "note": "x"}}}
    _, result = derived(calling({}, plain, turn_policy="multi_tool"))
    assert result.findings == ()


def test_a_pack_without_an_oracle_has_no_results_to_read():
    _, result = derived(marked(READS))
    found = only(result)
    assert (found.code, found.detail["kind"]) == ("dependent_call_binding_failed", "no_oracle")
    assert not result.traces[0].derived


def test_the_tool_of_an_unknown_name_fills_nothing():
    made = staged(calling({"tool": "bake_cake"}))
    template = replace(made.pack.templates[0], faulty=False)
    result = derive_traces(
        replace(made.pack, templates=(template,)), made.instances, made.plans, no_engine, run_config()
    )
    assert [each.arguments for trace in result.traces for each in trace.calls] == [{}]
    assert PLACE_ORDER["function"]["name"] != result.traces[0].calls[0].function_name
