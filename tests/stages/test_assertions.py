from __future__ import annotations

from dataclasses import replace

import pytest

from assay.findings import finding
from assay.oracle.limits import Limits
from assay.stages.assertion_review import AssertionReview
from assay.stages.assertions import judge_replays
from tests.support.quay import Quay, config_of, load, running
from tests.support.records import instance, plan, replay

QUICK = Limits(assertion_s=0.5, import_s=5.0)
REPORTED = {"berth_id": "B-1", "depth": 12, "free": True}


@pytest.fixture
def quay(tmp_path):
    return Quay(tmp_path)


def judged(quay, make=None, *, limits=None, earlier=()):
    """Judge replays of the pack as it stands; return outcomes, findings and whether they are final."""
    pack = load(quay)
    config = config_of(quay, limits=limits or Limits())
    tasks = make(pack) if make else [depth(pack)]
    instances = list({task.task_id: task for task, _ in tasks}.values())
    review = AssertionReview(pack, earlier)
    with running(pack, config) as engine:
        replays = [each for _, each in tasks]
        stream = judge_replays(pack, instances, map(plan, instances), replays, engine, config)
        outcomes = list(review.watch(stream))
    return outcomes, review.findings(), review.final


def depth(pack, number=0, result=None, **facts):
    task = instance(pack, "berth_depth", number, berth_id="B-1")
    return task, replay(task, REPORTED if result is None else result, **facts)


def body(quay, text):
    """Give `assert_berth_reported` another body."""
    old = (
        '    assert trace, "no call was made"\n'
        '    assert trace[-1]["result"].get("berth_id") == task["slots"]["berth_id"]\n'
    )
    quay.replace("assertions.py", old, "".join(f"    {line}\n" for line in text.splitlines()))


def test_a_passing_assertion_has_an_outcome_per_attempt_and_no_finding(quay):
    outcomes, findings, final = judged(quay, lambda pack: [depth(pack), depth(pack, attempt=2)])
    assert [(each.assertion, each.attempt, each.status, each.detail) for each in outcomes] == [
        ("assert_berth_reported", 1, "passed", None),
        ("assert_berth_reported", 2, "passed", None),
    ]
    assert (findings, final) == ((), True)


def test_a_failed_assertion_is_told_at_the_line_that_raised(quay):
    outcomes, findings, final = judged(quay, lambda pack: [depth(pack, result={"berth_id": "B-9"})])
    (only,) = findings
    assert [each.status for each in outcomes] == ["failed"]
    assert (only.code, only.severity, str(only.check)) == ("assertion_failed", "error", "7")
    assert (only.place.file, only.place.line) == ("assertions.py", quay.line("assertions.py", '.get("berth_id")'))
    assert (only.template_id, only.assertion) == ("berth_depth", "assert_berth_reported")
    assert only.task_id == outcomes[0].task_id
    assert "assert_berth_reported on berth_depth" in only.message
    assert final


def test_the_message_carries_what_the_assertion_said(quay):
    body(quay, "assert False, f\"depth is {trace[0]['result']['depth']}\"")
    assert "depth is 12" in judged(quay)[1][0].message


def test_an_assertion_error_of_a_helper_is_told_in_the_helper(quay):
    body(quay, "check(trace)")
    quay.append("assertions.py", "\n\ndef check(trace):\n    assert not trace, 'tide'\n")
    (only,) = judged(quay)[1]
    assert only.place == quay.place("assertions.py", "assert not trace")


def test_both_attempts_and_many_tasks_are_one_finding(quay):
    body(quay, "assert False")
    _, findings, _ = judged(
        quay, lambda pack: [depth(pack, number, attempt=attempt) for number in range(3) for attempt in (1, 2)]
    )
    (only,) = findings
    assert only.detail["tasks"] == 3
    assert "2 more tasks" in only.message


def test_not_applicable_is_no_pass_and_is_told_at_the_reference(quay):
    body(quay, 'return {"status": "not_applicable", "detail": "no tide today"}')
    outcomes, findings, _ = judged(quay)
    (only,) = findings
    assert (outcomes[0].status, outcomes[0].detail) == ("not_applicable", "no tide today")
    assert (only.code, only.severity, only.assertion) == ("assertion_not_applicable", "error", "assert_berth_reported")
    assert only.place == quay.place("task_templates.yaml", "assert_berth_reported")
    assert "no tide today" in only.message


@pytest.mark.parametrize(
    "line",
    [
        "return True",
        "return False",
        "return {}",
        'return {"status": "not_applicable"}',
        'return {"status": "not_applicable", "detail": " "}',
        'return {"status": "passed"}',
        "return 0",
        'raise KeyError("berth")',
        "raise SystemExit(0)",
        "raise KeyboardInterrupt",
    ],
)
def test_everything_else_is_an_infrastructure_error(quay, line):
    body(quay, line)
    outcomes, findings, final = judged(quay)
    (only,) = findings
    assert [each.status for each in outcomes] == ["infrastructure_error"]
    assert (only.code, only.severity, str(only.check)) == ("assertion_infrastructure_error", "error", "7")
    told_at = ("assertions.py", line) if line.startswith("raise") else ("task_templates.yaml", "assert_berth_reported")
    assert only.place == quay.place(*told_at)
    assert final


def test_an_assertion_that_hangs_is_told_as_such_and_the_others_are_judged(quay):
    body(quay, "import time\ntime.sleep(60)")

    def tasks(pack):
        paint = instance(pack, "berth_paint")
        return [depth(pack), (paint, replay(paint))]

    outcomes, findings, final = judged(quay, tasks, limits=QUICK)
    assert [each.status for each in outcomes] == ["infrastructure_error", "passed"]
    (only,) = findings
    assert (only.code, only.severity, only.assertion) == ("assertion_timeout", "error", "assert_berth_reported")
    assert only.place == quay.place("assertions.py", "time.sleep(60)")
    assert (only.template_id, only.task_id) == ("berth_depth", outcomes[0].task_id)
    assert not final


def test_an_assertion_that_kills_its_worker_is_told_as_such(quay):
    body(quay, "import os\nos._exit(9)")
    outcomes, findings, final = judged(quay)
    assert [each.status for each in outcomes] == ["infrastructure_error"]
    (only,) = findings
    assert (only.code, only.place) == ("worker_died", quay.place("task_templates.yaml", "assert_berth_reported"))
    assert not final


def test_a_module_that_cannot_be_imported_is_one_finding_at_its_line(quay):
    quay.replace("assertions.py", "ASSERTIONS = {", "import no_such_module\nASSERTIONS = {")

    def tasks(pack):
        paint = instance(pack, "berth_paint")
        return [depth(pack), depth(pack, 1), (paint, replay(paint))]

    outcomes, findings, _ = judged(quay, tasks)
    assert [each.status for each in outcomes] == ["infrastructure_error"] * 3
    (only,) = findings
    assert (only.code, str(only.check), only.template_id) == ("assertions_import_failed", "4", None)
    assert only.place == quay.place("assertions.py", "import no_such_module")
    assert "no_such_module" in only.message


def test_a_name_that_is_listed_twice_runs_twice(quay):
    quay.replace("task_templates.yaml", "[assert_berth_reported]", "[assert_berth_reported, assert_berth_reported]")
    outcomes, _, _ = judged(quay)
    assert [each.assertion for each in outcomes] == ["assert_berth_reported"] * 2


def test_a_replay_that_did_not_end_is_not_judged(quay):
    def tasks(pack):
        return [depth(pack, completed=False), depth(pack, 1)]

    outcomes, _, _ = judged(quay, tasks)
    assert [each.task_id[-1] for each in outcomes] == ["1"]


def test_trace_entries_hold_three_keys_and_state_task_and_context_are_whole(quay):
    body(
        quay,
        "assert [sorted(each) for each in trace] == [['arguments', 'result', 'tool']], trace\n"
        "assert trace[0]['tool'] == 'find_berth' and trace[0]['arguments'] == {'berth_id': 'B-1'}\n"
        "assert state == {'tide': 3}, state\n"
        "assert task['slots'] == {'berth_id': 'B-1'} and task['num_tool_calls'] == 1\n"
        "assert ctx.clock.utcoffset() is not None and ctx.seed == 7 and ctx.timeout_s == 5.0\n"
        "assert ctx.task_id == task['task_id'] and ctx.turn_index == 0",
    )
    _, findings, _ = judged(quay, lambda pack: [depth(pack, state_after={"tide": 3})])
    assert findings == ()


def test_turn_index_is_that_of_the_last_call(quay):
    pack = load(quay)
    config = config_of(quay)
    body(quay, "assert False, ctx.turn_index")
    pack = load(quay)
    task = instance(pack, "berth_depth", berth_id="B-1")
    with running(pack, config) as engine:
        shape = plan(task, calls=4)
        (outcome,) = judge_replays(pack, [task], [shape], [replay(task, *[REPORTED] * 4)], engine, config)
    assert outcome.detail == "3"


def test_what_one_assertion_changes_no_other_sees(quay):
    quay.replace("task_templates.yaml", "[assert_berth_reported]", "[assert_spoiler, assert_berth_reported]")
    quay.replace(
        "assertions.py",
        "ASSERTIONS = {",
        "def assert_spoiler(*, state, trace, task, ctx):\n"
        "    trace.clear()\n    task.clear()\n    state['x'] = 1\n\n\n"
        'ASSERTIONS = {\n    "assert_spoiler": assert_spoiler,',
    )
    assert judged(quay)[1] == ()


def test_a_failure_after_a_failing_call_follows_from_it(quay):
    body(quay, "assert False")
    root = finding("expected_call_failed", "The call failed.", template_id="berth_depth")
    other = finding("expected_call_failed", "Another call failed.", template_id="berth_booking")
    (only,) = judged(quay, earlier=[other, root])[1]
    assert only.root == root.id


def test_a_failure_of_another_template_stands_by_itself(quay):
    body(quay, "assert False")
    other = finding("expected_call_failed", "Another call failed.", template_id="berth_booking")
    assert judged(quay, earlier=[other])[1][0].root is None


def test_replays_may_leave_instances_out_but_not_change_their_order(quay):
    pack = load(quay)
    config = config_of(quay)
    tasks = [instance(pack, "berth_depth", number, berth_id="B-1") for number in range(4)]
    chosen = [replay(tasks[number], REPORTED) for number in (1, 3)]
    with running(pack, config) as engine:
        outcomes = list(judge_replays(pack, tasks, map(plan, tasks), chosen, engine, config))
    assert [each.task_id for each in outcomes] == [tasks[1].task_id, tasks[3].task_id]


def test_words_that_utf_8_cannot_carry_reach_the_report_escaped(quay):
    body(quay, r'assert False, "\ud800 tide"')
    _, findings, _ = judged(quay)
    assert len(findings[0].id) == 12
    assert "tide" in findings[0].message


def test_a_long_message_is_cut(quay):
    body(quay, 'assert False, "x" * 100_000')
    assert len(judged(quay)[1][0].message) < 600


def test_equal_runs_give_equal_findings(quay):
    body(quay, "raise ValueError({trace[0]['tool'], 'a', 'b', 'c'})")
    assert judged(quay)[1] == judged(quay)[1]
    assert replace(judged(quay)[0][0], detail="") == replace(judged(quay)[0][0], detail="")


def test_a_pack_without_an_assertions_module_has_no_outcomes(quay):
    (quay.root / "assertions.py").unlink()
    assert judged(quay) == ([], (), True)
