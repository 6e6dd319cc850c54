"""In one task the first failing call is the root; the report tells it once and marks what follows from it."""

from __future__ import annotations

import pytest

from assay.reporting import render_report
from assay.runner import RunRequest, carry_out
from tests.support.quay import Quay

CALL = "    - {type: tool_call, tool: find_berth}\n"
BROKEN = "    - {type: tool_call, tool: find_berth, args: {berth_id: B-NONE}}\n"


@pytest.fixture
def report_of(tmp_path):
    def carry(quay):
        return carry_out(RunRequest(pack=str(quay.root), root=str(tmp_path / "store"), mutants=False))

    return carry


def test_later_failing_calls_of_a_task_are_shown_under_the_first(tmp_path, report_of):
    quay = Quay(tmp_path)
    quay.replace("task_templates.yaml", CALL, BROKEN * 3)
    report = report_of(quay)
    told = [each for each in report.findings if each.code == "expected_call_failed"]
    root, *others = told
    assert (root.root, [each.root for each in others]) == (None, [root.id] * 2)
    places = [quay.place("task_templates.yaml", BROKEN.strip().removeprefix("- "), n) for n in (1, 2, 3)]
    assert [each.place for each in told] == places
    written = {each["id"]: each for each in report.to_json()["findings"]}
    assert [written[each.id]["root"] for each in told] == [None, root.id, root.id]


def test_the_text_shows_the_root_and_counts_what_follows(tmp_path, report_of):
    quay = Quay(tmp_path)
    quay.replace("task_templates.yaml", CALL, BROKEN * 2)
    lines = [line.plain for line in render_report(report_of(quay), lambda place: None)]
    at = next(index for index, line in enumerate(lines) if "Call 1 (find_berth) of berth_depth was answered" in line)
    assert not any("Call 2 (find_berth) of berth_depth" in line for line in lines)
    assert "3 further findings follow" in lines[at + 2], "the other call, the assertion, the representative"


def test_a_call_that_raises_after_one_that_was_refused_follows_from_it(tmp_path, report_of):
    quay = Quay(tmp_path)
    quay.replace("task_templates.yaml", CALL, BROKEN * 2)
    quay.replace("backend.py", "STATE = {}\n", "STATE = {}\nMISSED = []\n")
    quay.replace("backend.py", "    STATE.clear()\n", "    STATE.clear()\n    MISSED.clear()\n")
    raising = "    if berth is None:\n        MISSED.append(1)\n        1 / (2 - len(MISSED))\n"
    quay.replace("backend.py", "    if berth is None:\n", raising)
    report = report_of(quay)
    (refused,) = [each for each in report.findings if each.code == "expected_call_failed"]
    raised = [each for each in report.findings if "ZeroDivisionError" in each.message and each.tool == "find_berth"]
    assert [each.root for each in raised if each.template_id == "berth_depth"] == [refused.id]
