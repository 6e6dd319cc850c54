from __future__ import annotations

import pytest

from assay.findings import Place, finding
from assay.pack.bounds import MAX_LISTED
from assay.stages import tally as tally_module
from assay.stages.tally import MAX_TASK_IDS, FindingTally


def told(task_id, *, template_id="t", message="Something is wrong.", line=1):
    return finding("assertion_failed", message, at=Place("a.py", line), template_id=template_id, task_id=task_id)


def test_one_task_in_two_attempts_counts_once():
    tally = FindingTally()
    tally.add(told("a"))
    tally.add(told("a"))
    (only,) = tally.findings()
    assert only.message == "Something is wrong."
    assert only.detail == {"tasks": 1, "task_ids": ["a"]}


def test_further_tasks_are_counted_in_the_message_before_its_full_stop():
    tally = FindingTally()
    for task in ("a", "b"):
        tally.add(told(task))
    assert tally.findings()[0].message == "Something is wrong (and 1 more task)."
    tally.add(told("c"))
    assert tally.findings()[0].message == "Something is wrong (and 2 more tasks)."
    assert tally.findings()[0].task_id == "a"


def test_only_the_first_task_ids_are_listed():
    tally = FindingTally()
    for number in range(50):
        tally.add(told(f"task-{number:02d}"))
    (only,) = tally.findings()
    assert only.detail["tasks"] == 50
    assert only.detail["task_ids"] == [f"task-{number:02d}" for number in range(MAX_TASK_IDS)]


@pytest.mark.parametrize("other", [{"template_id": "u"}, {"line": 2}], ids=["another template", "another place"])
def test_what_concerns_something_else_stands_by_itself(other):
    tally = FindingTally()
    tally.add(told("a"))
    tally.add(told("a", **other))
    assert len(tally.findings()) == 2


def test_a_distinction_of_the_caller_keeps_findings_apart():
    tally = FindingTally()
    tally.add(told("a"), apart=1)
    tally.add(told("a"), apart=2)
    assert len(tally.findings()) == 2


def test_a_consequence_names_its_root_as_it_is_told_in_the_end():
    tally = FindingTally()
    root = tally.add(told("a"))
    tally.add(told("a", line=2), root=root)
    tally.add(told("b"))
    first, second = tally.findings()
    assert second.root == first.id


def test_a_consequence_of_a_consequence_names_the_first_root():
    tally = FindingTally()
    root = tally.add(told("a"))
    middle = tally.add(told("a", line=2), root=root)
    tally.add(told("a", line=3), root=middle)
    first, *rest = tally.findings()
    assert [each.root for each in rest] == [first.id, first.id]


def test_a_root_from_elsewhere_is_named_by_its_id():
    elsewhere = finding("expected_call_failed", "The call failed.")
    tally = FindingTally()
    tally.add(told("a"), root=elsewhere)
    assert tally.findings()[0].root == elsewhere.id


def test_a_finding_about_no_task_is_not_counted():
    tally = FindingTally()
    tally.add(told(None))
    tally.add(told(None))
    (only,) = tally.findings()
    assert only.detail is None


def test_of_one_code_in_one_file_so_many_are_told_apart_and_the_rest_is_counted():
    tally = FindingTally()
    for number in range(MAX_LISTED + 7):
        for task in ("x", "y"):
            tally.add(told(task), apart=number)
    *kept, remark = tally.findings()
    assert len(kept) == MAX_LISTED
    assert {each.detail["tasks"] for each in kept} == {2}
    assert (remark.code, remark.detail) == ("further_findings", {"code": "assertion_failed", "count": MAX_LISTED + 7})
    assert remark.place == Place("a.py")


def test_what_is_no_longer_remembered_counts_each_time(monkeypatch):
    monkeypatch.setattr(tally_module, "MOST_REMEMBERED", 1)
    tally = FindingTally()
    for _ in range(2):
        for number in range(MAX_LISTED + 2):
            tally.add(told("x"), apart=number)
    assert tally.findings()[-1].detail["count"] == MAX_LISTED + 3


def test_a_root_that_is_only_counted_is_no_root():
    tally = FindingTally()
    for number in range(MAX_LISTED + 1):
        key = tally.add(told("x"), apart=number)
    tally.add(finding("internal_error", "It follows.", template_id="t"), root=key)
    (follower,) = (each for each in tally.findings() if each.code == "internal_error")
    assert follower.root is None
