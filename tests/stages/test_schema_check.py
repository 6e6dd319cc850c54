from dataclasses import replace

import pytest

from assay.findings import Check, Severity
from assay.stages.records import ExpectedTrace, SlotUpdate
from assay.stages.schema_check import check_traces
from assay.stages.trace import derive_traces
from tests.support.models import line_of, pack, run_config
from tests.support.records import instance, plan, trace
from tests.support.talks import PLACE_ORDER, corrected, entry, function, slot, staged

PIPE_ICING = function("pipe_icing", order_ref={"type": "string"})
PAY = {**function("pay", order_ref={"type": "string"}, confirm={"type": "boolean"}), "x-requires-confirmation": True}


def no_engine():
    raise AssertionError("no call reads a result")


def checked(*entries, tasks=None, tools=(PLACE_ORDER,), **given):
    """Derive and check the calls of template entries; return the pack and the result."""
    made = staged(*entries, tasks=tasks, tools=tools, **given)
    traces = derive_traces(made.pack, made.instances, made.plans, no_engine, run_config()).traces
    return made.pack, check_traces(made.pack, made.instances, made.plans, traces)


def stored(*calls, confirmed=(), tools=(PLACE_ORDER, PIPE_ICING, PAY), manifest=None, slots=None, **facts):
    """Check calls as they may lie in a table; `facts` replace fields of the instance. Return the failure records."""
    made = pack(entry(), tools=tools, **(manifest or {}))
    names = [each[0] for each in calls]
    exposed = {"tools_present": tuple(dict.fromkeys(names)), "required_tools": tuple(dict.fromkeys(names))}
    task = replace(instance(made, "bake", **(slots or {})), **{**exposed, **facts})
    derived = trace(task, *calls)
    result = check_traces(made, [task], [plan(task, len(calls), confirmed=confirmed)], [derived])
    return list(result.checks[0].failures), result


def reasons(*calls, **facts):
    return [each["reason"] for each in stored(*calls, **facts)[0]]


GOOD = ("place_order", {"order_ref": "ORD-4"})


def test_good_calls_are_valid():
    failures, result = stored(GOOD)
    assert failures == []
    (check,) = result.checks
    assert (check.valid, check.reject_reason, check.template_id) == (True, None, "bake")
    assert result.findings == ()


def test_dropped_instances_are_rejected_with_their_reason_and_without_a_finding():
    made = pack(entry(), tools=[PLACE_ORDER])
    task = instance(made, "bake")
    result = check_traces(made, [task], [plan(task)], [trace(task, dropped="index 0 is out of range")])
    (check,) = result.checks
    assert check.reject_reason == "trace_not_derived"
    assert check.failures == ({"reason": "trace_not_derived", "detail": "index 0 is out of range"},)
    assert result.findings == ()


def test_a_tool_that_is_not_exposed():
    failures, result = stored(GOOD, tools_present=(), required_tools=())
    assert failures == [{"reason": "tool_not_exposed", "tool": "place_order"}]
    assert result.checks[0].reject_reason == "expected_trace_schema_mismatch"


def test_an_unknown_tool_ends_the_look_at_that_call():
    assert stored(("bake_cake", {"x": {"y": 1}}))[0] == [{"reason": "unknown_tool", "tool": "bake_cake"}]


def test_argument_records_name_the_tool():
    failures, _ = stored(("place_order", {"order_ref": 12, "finish": "burnt", "tip": 1}))
    assert failures == [
        {"reason": "unknown_argument", "argument": "tip", "tool": "place_order"},
        {
            "reason": "argument_type_mismatch",
            "argument": "order_ref",
            "expected_type": "string",
            "tool": "place_order",
        },
        {"reason": "argument_not_in_enum", "argument": "finish", "tool": "place_order"},
    ]


@pytest.mark.parametrize("arguments", [None, [], "x"])
def test_arguments_that_are_no_object_end_the_look_at_that_call(arguments):
    assert stored(("place_order", arguments))[0] == [{"reason": "arguments_not_object"}]


@pytest.mark.parametrize("value", [True, -1, 1.0, "0", None])
def test_published_numbers_are_whole_numbers_from_nought(value):
    made = pack(entry(), tools=[PLACE_ORDER])
    task = instance(made, "bake")
    (call,) = trace(task, GOOD).calls
    for name in ("turn_index", "call_group", "position_in_group"):
        bad = ExpectedTrace(
            task_id=task.task_id, template_id="bake", turn_policy="", calls=(replace(call, **{name: value}),)
        )
        result = check_traces(made, [task], [plan(task)], [bad])
        assert result.checks[0].failures == ({"reason": "bad_struct_field", "field": name, "value": value},)
        assert result.findings[0].code == "bad_struct_field"


CONFIRMED = ("pay", {"order_ref": "ORD-4", "confirm": True})
UNCONFIRMED = "confirmed_mutation_without_user_confirmation"


@pytest.mark.parametrize("policy", ["confirmation", "negative_path", "single_turn"])
def test_the_plan_decides_about_consent_never_the_policy(policy):
    assert reasons(CONFIRMED, turn_policy=policy) == [UNCONFIRMED]
    assert reasons(CONFIRMED, turn_policy=policy, confirmed=(0,)) == []
    assert reasons(CONFIRMED, turn_policy=policy, confirmed=(1,)) == [UNCONFIRMED]


def test_a_protected_tool_without_the_confirming_argument_needs_no_consent():
    assert reasons(("pay", {"order_ref": "ORD-4"})) == []
    assert reasons(("pay", {"order_ref": "ORD-4", "confirm": False})) == []
    assert reasons(("pay", {"order_ref": "ORD-4", "confirm": 1})) == ["argument_type_mismatch"]


def test_an_unprotected_tool_needs_no_consent():
    assert reasons(("place_order", {"order_ref": "ORD-4", "confirm": True})) == []


def test_the_pack_may_name_the_confirming_argument():
    agreed = {**function("pay", agreed={"type": "boolean"}), "x-requires-confirmation": True}
    named = {"tools": (agreed,), "manifest": {"confirmation": {"parameter": "agreed"}}}
    assert reasons(("pay", {"agreed": True}), **named) == [UNCONFIRMED]
    assert reasons(("pay", {"agreed": True}), confirmed=(0,), **named) == []


def test_a_stored_call_with_a_withdrawn_value():
    made = pack(corrected(), tools=[PLACE_ORDER])
    task = replace(
        instance(made, "bake_revised", order_ref="ORD-4", loaves=8),
        slots_initial={"order_ref": "ORD-4", "loaves": 6},
        slot_updates=(SlotUpdate(entry_index=0, values={"loaves": 8}, aliases={}),),
    )
    old = trace(task, ("place_order", {"order_ref": "ORD-4", "loaves": 6}))
    calls = (replace(old.calls[0], milestone=2, arguments={**old.calls[0].arguments, "finish": "plain"}),)
    result = check_traces(made, [task], [plan(task)], [replace(old, calls=calls)])
    assert result.checks[0].failures == (
        {
            "reason": "superseded_slot_value_in_trace",
            "tool": "place_order",
            "argument": "loaves",
            "slot": "loaves",
        },
    )
    (found,) = result.findings
    assert (found.code, found.slot, found.tool) == ("superseded_slot_value_in_trace", "loaves", "place_order")
    assert found.place.line == line_of(made.templates[0], "assistant_milestones", 2, "args", "loaves")


def test_equal_values_of_other_slots_are_not_withdrawn():
    made = pack(corrected(slots={"order_ref": slot([6]), "loaves": slot([6])}), tools=[PLACE_ORDER])
    task = replace(
        instance(made, "bake_revised", order_ref="6", loaves=8),
        slot_updates=(SlotUpdate(entry_index=0, values={"loaves": 8}, aliases={}),),
    )
    new = trace(task, ("place_order", {"order_ref": "6", "loaves": 8}))
    calls = (replace(new.calls[0], milestone=2),)
    assert check_traces(made, [task], [plan(task)], [replace(new, calls=calls)]).checks[0].valid


def test_failures_of_the_trace_follow_those_of_the_calls():
    assert reasons(("pipe_icing", {}), GOOD, required_tools=("place_order", "pipe_icing")) == [
        "missing_required_argument",
        "call_order_mismatch",
    ]


def test_a_schema_fault_is_a_record_but_no_second_finding():
    tool = function("odd", v={"type": "dict"})
    failures, result = stored(("odd", {"v": {}}), tools=[tool])
    assert failures == [{"reason": "invalid_schema_type", "argument": "v", "value": "dict", "tool": "odd"}]
    assert result.findings == ()


# Findings, through the stages before.


def test_a_bad_argument_is_told_once_per_template_where_it_stands():
    slots = {"order_ref": slot(["ORD-4", "ORD-5"]), "loaves": slot(["six"])}
    made, result = checked(entry(slots=slots), tasks=2)
    (found,) = result.findings
    assert (found.code, found.severity) == ("argument_type_mismatch", Severity.ERROR)
    assert found.check is Check.REPRESENTATIVE_GENERATION_CONTRACT
    assert (found.template_id, found.tool, found.task_id) == ("bake", "place_order", result.checks[0].task_id)
    assert found.place.line == line_of(made.templates[0], "assistant_milestones", 0, "args", "loaves")
    assert found.detail["tasks"] == 2
    assert '"six"' in found.message
    assert [each.reject_reason for each in result.checks] == ["expected_trace_schema_mismatch"] * 2


def test_a_filled_argument_and_a_missing_one_stand_at_the_milestone():
    made, result = checked(
        entry(slots={"order_ref": slot([4])}, assistant_milestones=[{"type": "tool_call", "tool": "place_order"}])
    )
    (found,) = result.findings
    assert found.code == "argument_type_mismatch"
    assert found.place.line == line_of(made.templates[0], "assistant_milestones", 0)
    made, result = checked(entry(slots={}, assistant_milestones=[{"type": "tool_call", "tool": "place_order"}]))
    (found,) = result.findings
    assert (found.code, found.detail) == (
        "missing_required_argument",
        {"argument": "order_ref", "tasks": 1, "task_ids": [found.task_id]},
    )
    assert found.place.line == line_of(made.templates[0], "assistant_milestones", 0)


def test_a_declared_null_is_told_at_the_argument():
    call = {"type": "tool_call", "tool": "place_order", "args": {"loaves": None}}
    made, result = checked(entry(assistant_milestones=[call]))
    (found,) = result.findings
    assert found.code == "argument_type_mismatch"
    assert found.place.line == line_of(made.templates[0], "assistant_milestones", 0, "args", "loaves")


def test_the_message_says_which_rule_is_broken():
    call = {"type": "tool_call", "tool": "place_order", "args": {"finish": "burnt"}}
    _, result = checked(entry(assistant_milestones=[call]))
    (found,) = result.findings
    assert found.code == "argument_not_in_enum"
    assert '"burnt"' in found.message
    assert '["glazed","plain"]' in found.message


def test_two_calls_with_the_same_fault_are_two_findings():
    call = {"type": "tool_call", "tool": "place_order", "args": {"loaves": "x"}}
    _, result = checked(entry(turn_policy="multi_tool", assistant_milestones=[call, call]))
    assert [each.code for each in result.findings] == ["argument_type_mismatch"] * 2


def test_confirming_without_consent_is_told_at_the_argument():
    call = {"type": "tool_call", "tool": "pay", "args": {"confirm": True}}
    made, result = checked(entry(required_tools=["pay"], assistant_milestones=[call]), tools=[PAY])
    (found,) = result.findings
    assert found.code == UNCONFIRMED
    assert found.place.line == line_of(made.templates[0], "assistant_milestones", 0, "args", "confirm")


def test_order_faults_are_told_once_per_template_at_the_declaration():
    calls = [{"type": "tool_call", "tool": name} for name in ("pipe_icing", "place_order")]
    slots = {"order_ref": slot(["A", "B"])}
    bad = entry(required_tools=["place_order", "pipe_icing", "pay"], slots=slots, assistant_milestones=calls)
    made, result = checked(bad, tasks=2, tools=[PLACE_ORDER, PIPE_ICING, PAY])
    template = made.templates[0]
    assert [(each.code, each.tool, each.place.line) for each in result.findings] == [
        ("call_order_mismatch", None, line_of(template, "required_tools")),
        ("required_tool_not_called", "pay", line_of(template, "required_tools", 2)),
    ]
    assert all(each.detail["tasks"] == 2 for each in result.findings)
    assert "pipe_icing" in result.findings[0].message


@pytest.mark.parametrize(
    ("facts", "code", "field"),
    [
        ({"call_order": "loose"}, "unknown_call_order", "call_order"),
        ({"call_order": "prefix", "call_order_prefix": 9}, "bad_call_order_prefix", "call_order_prefix"),
        ({"call_order_prefix": 1}, "call_order_prefix_without_prefix_order", "call_order_prefix"),
        (
            {"call_order": "any", "turn_policy": "dependent_call"},
            "dependent_call_requires_strict_order",
            "call_order",
        ),
        ({"turn_policy": "irrelevant"}, "irrelevant_task_has_calls", "turn_policy"),
    ],
)
def test_declarations_are_told_where_they_stand(facts, code, field):
    made = pack(entry(call_order="x", call_order_prefix=1), tools=[PLACE_ORDER])
    task = replace(instance(made, "bake"), call_order_prefix=None, call_order="strict")
    task = replace(task, **facts)
    result = check_traces(made, [task], [plan(task)], [trace(task, GOOD)])
    (found,) = result.findings
    assert (found.code, found.place.line) == (code, line_of(made.templates[0], field))


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"call_group": 0, "turn_index": 1}, "call_group_spans_turns"),
        ({"call_group": 0, "turn_index": 0, "position_in_group": 2}, "non_contiguous_group_positions"),
    ],
)
def test_batches_out_of_shape_are_told_at_the_milestones(change, code):
    made = pack(entry(), tools=[PLACE_ORDER])
    task = instance(made, "bake")
    first, second = trace(task, GOOD, GOOD).calls
    calls = (first, replace(second, **change))
    result = check_traces(made, [task], [plan(task, 2)], [replace(trace(task), calls=calls)])
    (found,) = result.findings
    assert (found.code, found.place.line) == (code, line_of(made.templates[0], "assistant_milestones"))


def test_a_remainder_that_differs_is_told():
    failures, result = stored(GOOD, required_tools=("place_order", "pay"), call_order="prefix", call_order_prefix=1)
    assert [each["reason"] for each in failures] == ["call_order_remainder_mismatch", "required_tool_not_called"]
    assert [each.code for each in result.findings] == ["call_order_remainder_mismatch", "required_tool_not_called"]


def test_every_kind_of_breach_has_its_words():
    schema = {
        "type": "object",
        "properties": {
            "a": {"const": 1},
            "b": {"minLength": 2},
            "c": {"maxLength": 1},
            "d": {"pattern": "^x$"},
            "e": {"minimum": 5},
            "f": {"maximum": 5},
            "g": {"minItems": 1},
            "h": {"maxItems": 0},
            "i": {"pattern": "^(?:a|aa)+$"},
        },
    }
    tool = {"type": "function", "function": {"name": "odd", "description": "x", "parameters": schema}}
    values = {"a": 2, "b": "x", "c": "xy", "d": "y", "e": 1, "f": 9, "g": [], "h": [1], "i": "a" * 80 + "b"}
    _, result = stored(("odd", values), tools=[tool])
    assert [each.code for each in result.findings] == [
        "argument_not_equal_const",
        "string_too_short",
        "string_too_long",
        "string_pattern_mismatch",
        "number_below_minimum",
        "number_above_maximum",
        "array_too_short",
        "array_too_long",
        "pattern_too_slow",
    ]
    for name, found in zip(values, result.findings, strict=True):
        assert f"`{name}`" in found.message
        assert "{" not in found.message


def test_checks_come_in_the_order_of_the_instances_for_those_with_a_plan_and_a_trace():
    made = pack(entry(), tools=[PLACE_ORDER])
    tasks = [instance(made, "bake", number) for number in range(3)]
    traces = [trace(task, GOOD) for task in tasks]
    result = check_traces(made, tasks, map(plan, tasks[:2]), traces[1:])
    assert [each.task_id for each in result.checks] == [tasks[1].task_id]
    result = check_traces(made, tasks, map(plan, tasks), traces)
    assert [each.task_id for each in result.checks] == [each.task_id for each in tasks]
