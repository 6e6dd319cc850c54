"""Behaviours that the contract pins on the reference's example packs, shown on the tables of ours."""

from __future__ import annotations

import json
from itertools import groupby, pairwise

import pyarrow.parquet as pq
import pytest
import yaml

from assay.runner import RunRequest, carry_out
from tests.support.packs import PACKS, TINY_LIBRARY

TABLES = (
    *("task_instances", "conversation_plans", "rendered_conversations", "expected_calls"),
    *("schema_checks", "replays", "verdicts"),
)
BANK = PACKS / "corner_bank"


@pytest.fixture(scope="module")
def bank(tmp_path_factory):
    """The rows that validating the bank leaves, by table."""
    out = tmp_path_factory.mktemp("out")
    report = carry_out(RunRequest(pack=str(BANK), root=str(out / "store"), output_dir=str(out)))
    assert report.status == "gold"
    return {name: pq.read_table(out / "validation" / f"{name}.parquet").to_pylist() for name in TABLES}


def by_task(rows):
    return {task: list(some) for task, some in groupby(rows, key=lambda row: row["task_id"])}


def of_template(rows, template_id):
    return [row for row in rows if row["template_id"] == template_id]


def templates_of(pack):
    return yaml.safe_load((pack / "task_templates.yaml").read_text(encoding="utf-8"))


def milestones(template, kind):
    return [each for each in template["assistant_milestones"] if each["type"] == kind]


def test_every_plan_begins_with_the_opening_turn_and_counts_the_calls_that_follow(bank):
    calls = by_task(bank["expected_calls"])
    assert len(bank["conversation_plans"]) == len(templates_of(BANK))
    for plan in bank["conversation_plans"]:
        first = plan["steps"][0]
        assert (first["kind"], first["source"]) == ("user", "first_turn")
        assert plan["num_tool_calls"] == len(calls.get(plan["task_id"], []))


def test_calls_are_checked_and_replayed_once_per_task_and_all_of_them_are_valid(bank):
    proven = [plan["task_id"] for plan in bank["conversation_plans"]]
    assert [(row["task_id"], row["valid"], row["reject_reason"]) for row in bank["schema_checks"]] == [
        (task, True, None) for task in proven
    ]
    assert [(row["task_id"], row["passed"], row["reason"]) for row in bank["verdicts"]] == [
        (task, True, None) for task in proven
    ]


def test_a_dependent_call_takes_the_first_listed_result_in_a_later_group(bank):
    first, second, third = of_template(bank["expected_calls"], "cb_card_trail")
    assert [(each["call_group"], each["turn_index"]) for each in (first, second, third)] == [(0, 0), (1, 1), (2, 2)]
    (listed,) = [
        json.loads(row["result"])
        for row in of_template(bank["replays"], "cb_card_trail")
        if (row["attempt"], row["call_index"]) == (1, 1)
    ]
    read = json.loads(third["arguments"])["posting_ref"]
    assert read == listed["postings"][0]["posting_ref"]
    assert read not in first["arguments"] + second["arguments"]


def test_a_withheld_value_is_spoken_in_the_second_user_turn_and_called_for_after_it(bank):
    (task,) = of_template(bank["conversation_plans"], "cb_balance_unnamed")
    (instance,) = [row for row in bank["task_instances"] if row["task_id"] == task["task_id"]]
    value = json.loads(instance["slots"])["account_id"]
    spoken = [
        row["content"]
        for row in of_template(bank["rendered_conversations"], "cb_balance_unnamed")
        if row["role"] == "user"
    ]
    (call,) = of_template(bank["expected_calls"], "cb_balance_unnamed")
    assert len(spoken) == 2
    assert (value in spoken[0], value in spoken[1]) == (False, True)
    assert (call["turn_index"], json.loads(call["arguments"])) == (1, {"account_id": value})


def test_a_correction_speaks_its_alias_between_two_questions_and_the_call_follows_the_last(bank):
    template = next(each for each in templates_of(BANK) if each["template_id"] == "cb_transfer_amount_corrected")
    correcting, approving = template["user_simulator_turns"]
    first, last = (each["id"] for each in milestones(template, "ask_confirm"))
    assert (correcting["after"], approving["after"]) == (first, last)
    assert "{new_amount}" in correcting["content_template"]["en"]
    assert correcting["slot_updates"]["amount"]["bind_as"] == "new_amount"
    assert "slot_updates" not in approving
    (plan,) = of_template(bank["conversation_plans"], "cb_transfer_amount_corrected")
    (call,) = of_template(bank["expected_calls"], "cb_transfer_amount_corrected")
    assert (plan["has_slot_correction"], plan["confirmed_call_turns"]) == (True, [call["turn_index"]])
    assert [step["milestone_type"] for step in plan["steps"] if step["kind"] == "text"] == [
        "ask_confirm",
        "ask_confirm",
        "final_answer",
    ]


def test_a_dependent_template_reads_a_call_of_an_earlier_group():
    for template in templates_of(BANK):
        if template["turn_policy"] == "dependent_call":
            calls = milestones(template, "tool_call")
            read = [
                (number, value["from_result"]["call"])
                for number, call in enumerate(calls)
                for value in call.get("args", {}).values()
                if isinstance(value, dict)
            ]
            assert read
            assert all(producer in [each.get("id") for each in calls[:number]] for number, producer in read)
            assert all(one.get("call_group") != other.get("call_group", 1) for one, other in pairwise(calls))


def test_a_confirmed_change_asks_calls_and_answers_and_the_user_replies_after_the_question(bank):
    confirming = [each for each in templates_of(BANK) if each["turn_policy"] == "confirmation"]
    assert confirming
    for template in confirming:
        assert template["mutates"] is True
        kinds = [each["type"] for each in template["assistant_milestones"]]
        assert kinds == ["ask_confirm", "tool_call", "final_answer"]
        assert [turn["after"] for turn in template["user_simulator_turns"]] == ["ask_confirm"]
        (call,) = of_template(bank["expected_calls"], template["template_id"])
        assert json.loads(call["arguments"])["approve"] is True


def test_refusals_keep_their_payload_and_the_argument_that_confirms(bank):
    shown = {
        row["template_id"]: (json.loads(row["arguments"]), json.loads(row["result"]))
        for row in bank["replays"]
        if row["attempt"] == 1 and row["template_id"] in ("cb_balance_unknown", "cb_transfer_short")
    }
    assert shown["cb_balance_unknown"][1]["error"]["code"] == "not_found"
    arguments, result = shown["cb_transfer_short"]
    assert arguments["approve"] is True
    assert result["error"]["code"] == "insufficient_funds"


def test_clarify_only_and_irrelevant_templates_call_nothing_and_close_as_they_must():
    closing = {"clarify_only": "ask_for_slot", "irrelevant": "decline"}
    found = [each for pack in (BANK, TINY_LIBRARY) for each in templates_of(pack) if each["turn_policy"] in closing]
    assert {each["turn_policy"] for each in found} == set(closing)
    for template in found:
        assert template["required_tools"] == []
        assert milestones(template, "tool_call") == []
        assert template["assistant_milestones"][-1]["type"] == closing[template["turn_policy"]]
