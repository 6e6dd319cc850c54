from __future__ import annotations

import pytest

from assay.oracle.limits import Limits
from assay.stages.assertions import judge_replays
from assay.stages.compare import Causes, compare_instances
from assay.stages.compare_review import CompareReview
from assay.stages.records import AssertionOutcome, SchemaCheck
from assay.stages.replay import replay_traces
from tests.support.quay import Quay, config_of, load, running
from tests.support.records import instance, plan, replay, trace, valid


@pytest.fixture
def quay(tmp_path):
    return Quay(tmp_path)


def spoil(quay, text, *, top=""):
    """Give find_berth another answer; `top` stands at the top of the backend."""
    lines = "".join(f"        {line}\n" for line in text.splitlines() if line)
    quay.replace("backend.py", '    if name == "find_berth":\n', f'    if name == "find_berth":\n{lines}')
    quay.write("backend.py", top + quay.text("backend.py"))


def compared(quay, *, count=1, limits=None):
    """Replay, judge and compare tasks of `berth_depth`; return the verdicts and the findings."""
    pack = load(quay)
    config = config_of(quay, limits=limits or Limits())
    tasks = [instance(pack, "berth_depth", number, berth_id="B-1") for number in range(count)]
    traces = [trace(task, ("find_berth", {"berth_id": "B-1"})) for task in tasks]
    checks = [valid(task) for task in tasks]
    review = CompareReview(pack)
    with running(pack, config) as engine:
        replays = list(replay_traces(pack, tasks, traces, checks, engine, config))
        outcomes = list(judge_replays(pack, tasks, map(plan, tasks), replays, engine, config))
        causes = Causes(pack, engine, config)
        verdicts = list(review.watch(compare_instances(tasks, traces, checks, replays, outcomes, causes)))
    return verdicts, review.findings()


def test_equal_evidence_and_passed_assertions_make_a_pass(quay):
    verdicts, findings = compared(quay, count=3)
    assert [(each.passed, each.reason, each.diverged, each.cause) for each in verdicts] == [(True, None, (), None)] * 3
    assert findings == ()


# What a backend does wrong: its cause, the value it answers with, and what stands before that in the call and on top.
SURPRISES = {
    "order of a set": ("hash_order", 'list({"a", "b", "c", "d", "e", "f"})', "", ""),
    "hash of a text": ("hash_order", 'hash("tide") % 1000', "", ""),
    "uuid4": ("unstable", "str(uuid.uuid4())", "", "import uuid"),
    "randomness": ("unstable", "random.random()", "", "import random"),
    "clock of the machine": ("ambient", "time.time_ns()", "", "import time"),
    "clock at import": ("ambient", "STARTED", "", "import time; STARTED = time.time_ns()"),
    "duration": ("unstable", "time.perf_counter_ns()", "", "import time"),
    "address": ("unstable", "repr(object())", "", ""),
    "time zone": ("ambient", "list(time.localtime(0))[:5]", "", "import time"),
    "environment": ("ambient", 'os.environ.get("TZ")', "", "import os"),
    "working directory": ("ambient", "os.getcwd()", "", "import os"),
    "counter that survives reset": ("state_leak", "len(SEEN)", "SEEN.append(1)", "SEEN = []"),
    "what ran before": ("state_leak", "str(SEEN[-2:])", "SEEN.append(ctx.task_id)", "SEEN = []"),
    "file left behind": (
        "state_leak",
        "seen",
        'path = os.path.join(tempfile.gettempdir(), "left"); seen = os.path.exists(path); open(path, "w").close()',
        "import os, tempfile",
    ),
}


@pytest.mark.parametrize("name", SURPRISES)
def test_the_cause_of_a_divergence_is_named(quay, name):
    cause, value, before, top = SURPRISES[name]
    spoil(quay, f'{before}\nreturn {{"berth_id": "B-1", "x": {value}}}', top=f"{top}\n")
    verdicts, findings = compared(quay, count=4)
    assert {each.cause for each in verdicts if not each.passed} == {cause}
    assert {each.reason for each in verdicts if not each.passed} == {"nondeterministic_replay"}
    (only,) = findings
    assert (only.code, only.severity, str(only.check)) == ("nondeterministic_replay", "error", "7")
    assert only.detail["cause"] == cause
    assert all(path.startswith("$.results[0].x") for path in only.detail["paths"])
    assert only.detail["differences"][0].keys() == {"path", "first", "second"}
    assert only.place == quay.place("task_templates.yaml", "{type: tool_call, tool: find_berth}")
    assert only.template_id == "berth_depth"


@pytest.mark.parametrize(
    ("body", "cause"),
    [
        ("assert not trace, list({'a', 'b', 'c', 'd', 'e', 'f'})", "hash_order"),
        ("import os; assert '12' in os.environ['TZ']", "ambient"),
        ("import time; assert not trace, time.time_ns()", "ambient"),
        ("import uuid; assert not trace, uuid.uuid4()", "unstable"),
    ],
)
def test_assertions_alone_may_diverge_and_have_a_cause_of_their_own(quay, body, cause):
    old = 'assert trace, "no call was made"\n'
    quay.replace("assertions.py", old, f"{body}\n")
    verdicts, (only,) = compared(quay)
    assert [(each.diverged, each.cause) for each in verdicts] == [(("assertions",), cause)]
    assert only.detail["paths"][0].startswith("$.assertions[0]")
    assert only.template_id == "berth_depth"


def test_state_alone_may_diverge(quay):
    quay.replace("backend.py", "    return copy.deepcopy(STATE)", '    return {**STATE, "log": hash("tide")}')
    (verdict,), (only,) = compared(quay)
    assert verdict.diverged == ("state",)
    assert verdict.paths == ("$.state.log",)
    assert only.place == quay.place("task_templates.yaml", "template_id: berth_depth")


def test_results_come_before_state_and_only_what_differs_is_listed(quay):
    spoil(quay, 'STATE["log"] = hash("a")\nreturn {"berth_id": "B-1", "x": hash("b"), "same": 1}')
    (verdict,), _ = compared(quay)
    assert verdict.diverged == ("results", "state")
    assert verdict.paths == ("$.results[0].x", "$.state.log")


def test_an_integer_and_a_float_are_different_evidence(quay):
    spoil(quay, 'import os\nreturn {"berth_id": "B-1", "x": 1 if "12" in os.environ["TZ"] else 1.0}')
    (verdict,), _ = compared(quay)
    assert (verdict.reason, verdict.cause) == ("nondeterministic_replay", "ambient")


def test_the_order_of_keys_is_no_difference(quay):
    spoil(quay, 'return {key: "B-1" for key in {"berth_id", "a", "b", "c", "d"}}')
    assert compared(quay)[0][0].passed


def test_many_differences_are_bounded(quay):
    spoil(quay, 'return {"berth_id": "B-1", **{f"k{i}": hash(str(i)) for i in range(500)}}')
    (verdict,), (only,) = compared(quay)
    assert len(verdict.paths) == len(only.detail["differences"]) == 20
    assert len(only.message) < 500


def test_an_attempt_that_fails_alone_is_told_with_its_cause(quay):
    spoil(quay, 'import os\nif "14" in os.environ["TZ"]:\n    raise LookupError("no tide there")')
    (verdict,), (only,) = compared(quay)
    assert (verdict.passed, verdict.reason, verdict.cause) == (False, "executable_replay_failed", "ambient")
    assert verdict.detail["unusable"][0]["attempt"] == 2
    assert "did not" in only.message


def test_an_episode_that_fails_twice_is_no_divergence(quay):
    spoil(quay, 'raise LookupError("no tide")')
    (verdict,), findings = compared(quay)
    assert (verdict.reason, verdict.cause, findings) == ("executable_replay_failed", None, ())
    assert [each["attempt"] for each in verdict.detail["unusable"]] == [1, 2]


def test_a_result_that_is_no_object_fails_its_instance(quay):
    spoil(quay, "return [1]")
    (verdict,), _ = compared(quay)
    assert verdict.reason == "executable_replay_failed"
    assert verdict.detail["unusable"][0]["result"] == "[1]"


def test_a_failed_assertion_fails_its_instance(quay):
    spoil(quay, 'return {"berth_id": "B-2"}')
    (verdict,), findings = compared(quay)
    assert (verdict.passed, verdict.reason) == (False, "assertion_failed")
    assert [each["assertion"] for each in verdict.detail["assertions"]] == ["assert_berth_reported"] * 2
    assert findings == ()


def verdict_on(quay, first, second, *, check=None, outcomes=()):
    """Compare two given replays of one instance, with the engine at hand for causes."""
    pack = load(quay)
    config = config_of(quay)
    task = first.task_id if first else None
    one = instance(pack, "berth_depth", berth_id="B-1")
    assert task in (None, one.task_id)
    expected = trace(one, ("find_berth", {"berth_id": "B-1"}))
    pair = [each for each in (first, second) if each is not None]
    with running(pack, config) as engine:
        (verdict,) = compare_instances(
            [one], [expected], [check or valid(one)], pair, outcomes, Causes(pack, engine, config)
        )
    return verdict


def outcome(task, attempt, status, detail=None, failure=None):
    return AssertionOutcome(
        task_id=task.task_id,
        template_id=task.template_id,
        attempt=attempt,
        assertion="assert_berth_reported",
        status=status,
        detail=detail,
        failure=failure,
    )


@pytest.mark.parametrize("status", ["failed", "not_applicable", "infrastructure_error"])
def test_every_class_but_passed_fails(quay, status):
    task = instance(load(quay), "berth_depth", berth_id="B-1")
    outcomes = [outcome(task, attempt, status) for attempt in (1, 2)]
    verdict = verdict_on(quay, replay(task, {}), replay(task, {}, attempt=2), outcomes=outcomes)
    assert (verdict.passed, verdict.reason) == (False, "assertion_failed")


def test_outcomes_that_differ_are_a_divergence_of_the_assertions(quay):
    task = instance(load(quay), "berth_depth", berth_id="B-1")
    outcomes = [outcome(task, 1, "failed", "one"), outcome(task, 2, "failed", "two")]
    verdict = verdict_on(quay, replay(task, {}), replay(task, {}, attempt=2), outcomes=outcomes)
    assert (verdict.reason, verdict.diverged) == ("nondeterministic_replay", ("assertions",))
    assert verdict.paths == ("$.assertions[0].detail",)


def test_outcomes_that_rest_on_a_deadline_are_not_compared(quay):
    task = instance(load(quay), "berth_depth", berth_id="B-1")
    late = {"kind": "timeout", "op": "assertion", "message": "too late"}
    outcomes = [outcome(task, 1, "passed"), outcome(task, 2, "infrastructure_error", "too late", late)]
    verdict = verdict_on(quay, replay(task, {}), replay(task, {}, attempt=2), outcomes=outcomes)
    assert (verdict.reason, verdict.cause) == ("assertion_failed", None)


def test_an_instance_without_assertions_passes_on_equal_evidence(quay):
    quay.replace("task_templates.yaml", "[assert_berth_reported]", "[]")
    task = instance(load(quay), "berth_depth", berth_id="B-1")
    assert verdict_on(quay, replay(task, {}), replay(task, {}, attempt=2)).passed


def test_an_instance_whose_assertions_were_never_run_does_not_pass(quay):
    task = instance(load(quay), "berth_depth", berth_id="B-1")
    verdict = verdict_on(quay, replay(task, {}), replay(task, {}, attempt=2))
    assert (verdict.passed, verdict.reason) == (False, "assertion_failed")
    assert [each["status"] for each in verdict.detail["assertions"]] == ["not_run"]


def test_an_instance_that_could_not_be_replayed_does_not_pass(quay):
    verdict = verdict_on(quay, None, None)
    assert (verdict.passed, verdict.reason) == (False, "executable_replay_failed")


@pytest.mark.parametrize("reason", ["expected_trace_schema_mismatch", "trace_not_derived"])
def test_an_instance_that_was_not_executed_keeps_its_reason(quay, reason):
    task = instance(load(quay), "berth_depth", berth_id="B-1")
    check = SchemaCheck(
        task_id=task.task_id, template_id="berth_depth", reject_reason=reason, failures=({"reason": "unknown_tool"},)
    )
    verdict = verdict_on(quay, None, None, check=check)
    assert (verdict.passed, verdict.reason) == (False, reason)
    assert verdict.detail == {"failures": [{"reason": "unknown_tool"}]}


def test_the_cause_is_looked_for_once_per_template(quay):
    spoil(quay, 'import uuid\nreturn {"berth_id": "B-1", "x": str(uuid.uuid4())}')
    verdicts, (only,) = compared(quay, count=30)
    assert {each.cause for each in verdicts} == {"unstable"}
    assert only.detail["tasks"] == 30
