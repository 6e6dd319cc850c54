"""Faults that only calls out of a table can have, because deriving makes none of them: each at its exact place."""

from dataclasses import replace

import pytest

from assay.stages.schema_check import check_traces
from tests.support.pack_files import load, spoil, write_pack
from tests.support.records import instance, plan, trace

T = "task_templates.yaml"
CALL = ("get_record", {"record_id": "REC-001"})


def told(folder, *calls, task=None, **fields):
    """Check calls of the first template, the last one with other fields; return the codes and places told."""
    pack = load(folder).pack
    bound = replace(instance(pack, "starter_get_record", record_id="REC-001"), **(task or {}))
    derived = trace(bound, *calls)
    changed = (*derived.calls[:-1], replace(derived.calls[-1], **{"milestone": 0, **fields}))
    checked = check_traces(pack, [bound], [plan(bound, len(calls))], [replace(derived, calls=changed)])
    return [(each.code, each.place) for each in checked.findings]


@pytest.fixture
def folder(tmp_path):
    return write_pack(tmp_path / "pack")


@pytest.mark.parametrize(
    ("fields", "code"), [({"arguments": []}, "arguments_not_object"), ({"turn_index": -1}, "bad_struct_field")]
)
def test_a_call_that_is_no_call_is_told_at_its_milestone(folder, fields, code):
    place = spoil(folder, T, "{type: tool_call, tool: get_record}", "§{type: tool_call, tool: get_record}")
    assert told(folder, CALL, **fields) == [(code, place)]


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"call_group": 0, "turn_index": 1}, "call_group_spans_turns"),
        ({"call_group": 0, "turn_index": 0, "position_in_group": 2}, "non_contiguous_group_positions"),
    ],
)
def test_batches_out_of_shape_are_told_at_the_milestones(folder, fields, code):
    old = "  assistant_milestones:\n    - {type: tool_call"
    place = spoil(folder, T, old, old.replace("- {", "§- {"))
    assert told(folder, CALL, CALL, **fields) == [(code, place)]


@pytest.mark.parametrize(
    ("written", "task", "code"),
    [
        ("call_order: prefix\n  call_order_prefix: §1", {"call_order": "prefix", "call_order_prefix": 9},
         "bad_call_order_prefix"),
        ("call_order_prefix: §1", {"call_order_prefix": 1}, "call_order_prefix_without_prefix_order"),
        ("call_order: §any", {"call_order": "any", "turn_policy": "dependent_call"},
         "dependent_call_requires_strict_order"),
        ("call_order: §anny", {"call_order": "anny"}, "unknown_call_order"),
    ],
)  # fmt: skip
def test_an_order_that_contradicts_the_task_is_told_where_it_is_declared(folder, written, task, code):
    place = spoil(folder, T, "call_order: strict", written)
    assert told(folder, CALL, task=task) == [(code, place)]


def test_calls_of_an_irrelevant_task_are_told_at_its_policy(folder):
    place = spoil(folder, T, "turn_policy: single_turn", "turn_policy: §irrelevant")
    assert told(folder, CALL, task={"turn_policy": "irrelevant"}) == [("irrelevant_task_has_calls", place)]
