from __future__ import annotations

import json
from dataclasses import replace

from assay.stages.records import SlotUpdate
from assay.stages.task_view import task_view
from tests.support.quay import Quay, load
from tests.support.records import instance, plan

FIELDS = """
task_id template_id variant_index seed slots slots_initial slot_updates fixture_refs pack_id pack_version intent
category difficulty turn_policy call_order call_order_prefix required_tools tools_present success_assertions
edge_signatures mutates is_multi_turn num_tool_calls has_user_confirmation confirmed_call_turns
"""


def view(tmp_path, **changes):
    pack = load(Quay(tmp_path))
    task = replace(instance(pack, "berth_booking", seed=2**64 - 1, berth_id="B-1"), **changes)
    return task_view(task, plan(task, calls=1, confirmed=(0,)))


def test_it_has_exactly_the_fields_of_the_contract(tmp_path):
    assert sorted(view(tmp_path)) == sorted(FIELDS.split())


def test_it_is_plain_json_and_keeps_types(tmp_path):
    task = view(tmp_path, slots={"n": 1, "x": 1.0, "flag": True, "nothing": None})
    assert json.loads(json.dumps(task)) == task
    assert [type(each) for each in task["slots"].values()] == [int, float, bool, type(None)]
    assert task["seed"] == 2**64 - 1


def test_facts_of_the_plan_are_in_it(tmp_path):
    task = view(tmp_path)
    assert (task["num_tool_calls"], task["has_user_confirmation"], task["confirmed_call_turns"]) == (1, True, [0])
    assert task["is_multi_turn"] is False


def test_updates_stand_in_order_of_delivery(tmp_path):
    updates = (
        SlotUpdate(entry_index=2, values={"berth_id": "B-2"}, aliases={}),
        SlotUpdate(entry_index=0, values={"berth_id": "B-1"}, aliases={"old": "B-2"}),
    )
    assert view(tmp_path, slot_updates=updates)["slot_updates"] == [
        {"entry_index": 2, "values": {"berth_id": "B-2"}, "aliases": {}},
        {"entry_index": 0, "values": {"berth_id": "B-1"}, "aliases": {"old": "B-2"}},
    ]
