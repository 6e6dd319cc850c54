from __future__ import annotations

from dataclasses import replace

import pytest

from assay.oracle.limits import Limits
from assay.stages.strength import MeasuredTask, choose_tasks, judge_mutants
from assay.stages.strength_review import StrengthReview
from tests.support.quay import Quay, config_of, load, running
from tests.support.records import instance, plan, replay

QUICK = Limits(assertion_s=0.5, import_s=5.0)
REPORTED = {"berth_id": "B-1", "depth": 12, "free": True}
OLD_BODY = """\
    assert trace, "no call was made"
    assert trace[-1]["result"].get("berth_id") == task["slots"]["berth_id"]
"""


@pytest.fixture
def quay(tmp_path):
    return Quay(tmp_path)


def body(quay, text):
    """Give `assert_berth_reported` another body."""
    quay.replace("assertions.py", OLD_BODY, "".join(f"    {line}\n" for line in text.splitlines()))


def measured(quay, make=None, *, limits=None):
    """Judge mutants of tasks of the pack as it stands; return them, the findings and whether they are final."""
    pack = load(quay)
    config = config_of(quay, limits=limits or Limits())
    tasks = [MeasuredTask(instance=task, plan=plan(task), replay=each) for task, each in (make or depth)(pack)]
    review = StrengthReview(pack)
    with running(pack, config) as engine:
        mutants = list(review.watch(judge_mutants(pack, tasks, lambda: engine, config)))
    return mutants, review.findings(), review.final


def depth(pack):
    task = instance(pack, "berth_depth", berth_id="B-1")
    return [(task, replay(task, REPORTED))]


def statuses(mutants):
    return {(each.kind, each.path): each.status for each in mutants}


def test_what_the_assertion_looks_at_is_killed_and_the_rest_survives(quay):
    mutants, findings, final = measured(quay)
    assert statuses(mutants) == {
        ("drop_call", None): "killed",
        ("repeat_call", None): "survived",
        ("change_argument", "$.berth_id"): "survived",
        ("change_result", "$.berth_id"): "killed",
        ("change_result", "$.depth"): "survived",
        ("change_result", "$.free"): "survived",
        ("blank_result", None): "killed",
    }
    assert [each.index for each in mutants] == list(range(7))
    assert {each.killed_by for each in mutants if each.status == "killed"} == {("assert_berth_reported",)}
    assert (findings, final) == ((), True)


def test_assertions_that_accept_everything_are_told_where_they_are_named(quay):
    body(quay, "pass")
    mutants, findings, final = measured(quay)
    (only,) = findings
    assert (only.code, only.severity, str(only.check)) == ("assertions_never_fail", "error", "7")
    assert only.place == quay.place("task_templates.yaml", "[assert_berth_reported]")
    assert (only.template_id, only.task_id) == ("berth_depth", mutants[0].task_id)
    assert "berth_depth (assert_berth_reported) accept all 7 wrong replays" in only.message
    assert "drop call 0 (find_berth)" in only.message
    assert len(only.detail["survivors"]) == 7
    assert final


def test_a_task_without_calls_must_notice_that_one_is_made(quay):
    def paint(pack):
        task = instance(pack, "berth_paint")
        return [(task, replay(task, state_before={"a": 1}, state_after={"a": 1}))]

    mutants, findings, _ = measured(quay, paint)
    assert statuses(mutants) == {("add_call", None): "killed", ("change_untouched", "$.a"): "survived"}
    assert findings == ()
    quay.replace("assertions.py", '    assert trace == [], "expected no call"\n', "    pass\n")
    (only,) = measured(quay, paint)[1]
    assert only.code == "assertions_never_fail"
    assert "accept the one wrong replay made from the right one: add call 0 (find_berth)" in only.message


def test_survivors_that_changed_what_no_call_touched_are_nobodys_fault(quay):
    quay.replace("assertions.py", '    assert trace == [], "expected no call"\n', "    pass\n")

    def paint(pack):
        task = replace(instance(pack, "berth_paint"), tools_present=())
        return [(task, replay(task, state_before={"a": 1}, state_after={"a": 1}))]

    mutants, findings, _ = measured(quay, paint)
    assert statuses(mutants) == {("change_untouched", "$.a"): "survived"}
    assert findings == ()


def test_one_assertion_that_bites_is_enough(quay):
    def two(pack):
        task = replace(
            instance(pack, "berth_depth", berth_id="B-1"),
            success_assertions=("assert_berth_reported", "assert_lax", "assert_berth_reported"),
        )
        return [(task, replay(task, REPORTED))]

    quay.replace("assertions.py", "ASSERTIONS = {", 'ASSERTIONS = {"assert_lax": lambda **_: None,')
    mutants, findings, _ = measured(quay, two)
    assert [len(each.outcomes) for each in mutants] == [3] * 7
    assert mutants[0].killed_by == ("assert_berth_reported",)
    assert findings == ()


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("assert trace", "failed"),
        ("trace[0]", "infrastructure_error"),
        ('return None if trace else {"status": "not_applicable", "detail": "nothing to see"}', "not_applicable"),
        ("return None if trace else False", "infrastructure_error"),
    ],
)
def test_whatever_is_no_pass_kills(quay, line, status):
    body(quay, line)
    mutants, findings, final = measured(quay)
    dropped = mutants[0]
    assert [each.status for each in dropped.outcomes] == [status]
    assert dropped.status == "killed"
    assert [each.status for each in mutants[1:]] == ["survived"] * 6
    assert (findings, final) == ((), True)


def test_an_assertion_that_hangs_on_wrong_evidence_has_not_killed_it(quay):
    body(quay, "import time\nwhile not trace[0]['result']:\n    time.sleep(9)")
    mutants, findings, final = measured(quay, limits=QUICK)
    (only,) = findings
    assert (only.code, only.assertion, only.template_id) == (
        "assertion_timeout",
        "assert_berth_reported",
        "berth_depth",
    )
    assert only.place == quay.place("assertions.py", "time.sleep(9)")
    assert {each.kind: each.status for each in mutants} == {
        "drop_call": "killed",
        "repeat_call": "survived",
        "change_argument": "survived",
        "change_result": "survived",
        "blank_result": "undecided",
    }
    assert not final


def test_after_two_deadlines_a_task_is_left_and_the_next_one_judged(quay):
    body(quay, "import time\nassert trace\nif len(trace) > 2:\n    time.sleep(9)")

    def tasks(pack):
        slow = instance(pack, "berth_depth", 1, berth_id="B-1")
        return [(slow, replay(slow, {"a": 1}, {"a": 2})), *depth(pack)]

    mutants, findings, final = measured(quay, tasks, limits=QUICK)
    slow = [each for each in mutants if each.task_id.endswith("1")]
    assert [each.kind for each in slow if each.status == "undecided" and each.outcomes] == ["repeat_call"] * 2
    assert {(each.status, bool(each.outcomes)) for each in slow[4:]} == {("undecided", False)}
    assert [each.status for each in mutants[len(slow) :]] == ["killed"] + ["survived"] * 6
    assert [each.code for each in findings] == ["assertion_timeout"]
    assert not final


def test_a_worker_that_dies_decides_nothing(quay):
    body(quay, "import os\nif len(trace) != 1:\n    os._exit(9)")
    mutants, findings, final = measured(quay)
    assert [(each.status, bool(each.outcomes)) for each in mutants] == [
        *[("undecided", True)] * 2,
        *[("undecided", False)] * 5,
    ]
    assert [each.code for each in findings] == ["worker_died"]
    assert not final


def test_no_worker_is_started_without_a_mutant(quay):
    pack = load(quay)
    assert list(judge_mutants(pack, [], lambda: pytest.fail("no engine is needed"), config_of(quay))) == []


def test_one_task_of_each_template_is_measured_its_representative_first(quay):
    pack = load(quay)
    depths = [replace(instance(pack, "berth_depth", number), representative=number == 2) for number in range(4)]
    refused = [replace(instance(pack, "berth_unknown", number), representative=number == 0) for number in range(3)]
    passed = [each.task_id for each in (*depths, *refused[1:])]
    assert choose_tasks(passed, [*depths, *refused]) == {depths[2].task_id, refused[1].task_id}
    assert choose_tasks([], depths) == set()
