from __future__ import annotations

from dataclasses import replace
from itertools import tee

import pytest

from assay.oracle.evidence import failure_from_json
from assay.oracle.limits import Limits
from assay.stages.patience import MOST_OVERRUNS
from assay.stages.records import SchemaCheck
from assay.stages.replay import replay_traces
from assay.stages.replay_review import ReplayReview
from tests.support.quay import Quay, config_of, load, running
from tests.support.records import instance, trace, valid

QUICK = Limits(tool_s=0.5, reset_s=0.5, import_s=5.0, episode_s=5.0, frame_bytes=200_000)
SHORT = Limits(tool_s=0.05, reset_s=1.0, import_s=5.0, episode_s=5.0)


@pytest.fixture
def quay(tmp_path):
    return Quay(tmp_path)


def depth_task(pack, number=0, berth="B-1"):
    task = instance(pack, "berth_depth", number, berth_id=berth)
    return task, trace(task, ("find_berth", {"berth_id": berth}))


def booking_task(pack, number=0, berth="B-1"):
    task = instance(pack, "berth_booking", number, berth_id=berth)
    return task, trace(task, ("book_berth", {"berth_id": berth, "confirm": True}))


def replayed(quay, make, *, limits=None):
    """Replay tasks; return the replays, the findings and whether they are final."""
    pack = load(quay)
    config = config_of(quay, limits=limits or Limits())
    tasks = make(pack)
    instances, traces = [task for task, _ in tasks], [each for _, each in tasks]
    review = ReplayReview(pack)
    with running(pack, config) as engine:
        stream = replay_traces(pack, instances, traces, map(valid, instances), engine, config)
        replays = list(review.watch(stream))
    return replays, review.findings(), review.final


def codes(findings):
    return [each.code for each in findings]


def test_each_instance_is_executed_twice_in_order(quay):
    replays, findings, final = replayed(quay, lambda pack: [depth_task(pack), booking_task(pack), depth_task(pack, 1)])
    assert [(each.template_id, each.attempt) for each in replays] == [
        ("berth_depth", 1),
        ("berth_depth", 2),
        ("berth_booking", 1),
        ("berth_booking", 2),
        ("berth_depth", 1),
        ("berth_depth", 2),
    ]
    assert all(each.completed for each in replays)
    assert findings == ()
    assert final


def test_a_replay_holds_the_results_and_the_state_before_and_after(quay):
    (first, second), _, _ = replayed(quay, lambda pack: [booking_task(pack)])
    assert [(call.tool, call.arguments, call.result, call.failed) for call in first.calls] == [
        ("book_berth", {"berth_id": "B-1", "confirm": True}, {"status": "booked", "berth_id": "B-1"}, False)
    ]
    assert first.state_before["bookings"] == []
    assert first.state_after["bookings"] == [{"berth_id": "B-1", "made_at": "2026-03-02T09:00:00+07:00"}]
    assert replace(second, attempt=1) == first


def test_one_episode_leaves_nothing_to_the_next(quay):
    replays, _, _ = replayed(quay, lambda pack: [booking_task(pack, number) for number in range(3)])
    assert [len(each.state_after["bookings"]) for each in replays] == [1] * 6


def test_both_attempts_see_the_same_context(quay):
    quay.replace(
        "backend.py",
        '    if name == "find_berth":',
        '    return {"seed": ctx.seed, "task": ctx.task_id, "clock": ctx.clock.isoformat(),'
        ' "limit": ctx.timeout_s, "turn": ctx.turn_index}\n    if name == "find_berth":',
    )
    (first, second), _, _ = replayed(quay, lambda pack: [depth_task(pack)], limits=Limits(tool_s=4.5))
    assert first.calls[0].result == second.calls[0].result
    assert first.calls[0].result == {
        "seed": 7,
        "task": first.task_id,
        "clock": "2026-03-02T09:00:00+07:00",
        "limit": 4.5,
        "turn": 0,
    }


def test_a_task_without_calls_is_replayed_as_well(quay):
    def no_calls(pack):
        task = instance(pack, "berth_paint")
        return [(task, trace(task))]

    replays, findings, _ = replayed(quay, no_calls)
    assert [(each.completed, each.calls, each.state_before == each.state_after) for each in replays] == [
        (True, (), True)
    ] * 2
    assert findings == ()


def test_only_instances_with_valid_calls_are_replayed(quay):
    pack = load(quay)
    config = config_of(quay)
    pairs = [depth_task(pack, number) for number in range(4)]
    instances, traces = [each for each, _ in pairs], [each for _, each in pairs]
    checks = [valid(each) for each in instances]
    checks[1] = SchemaCheck(
        task_id=instances[1].task_id, template_id="berth_depth", reject_reason="expected_trace_schema_mismatch"
    )
    checks[2] = SchemaCheck(task_id=instances[2].task_id, template_id="berth_depth", reject_reason="trace_not_derived")
    traces[2] = trace(instances[2], dropped="no such row")
    with running(pack, config) as engine:
        replays = list(replay_traces(pack, instances, traces, checks, engine, config))
    assert [each.task_id for each in replays] == [
        instances[0].task_id,
        instances[0].task_id,
        instances[3].task_id,
        instances[3].task_id,
    ]


def test_streams_of_different_length_are_our_own_fault(quay):
    pack = load(quay)
    config = config_of(quay)
    task, expected = depth_task(pack)
    with running(pack, config) as engine, pytest.raises(ValueError, match="shorter"):
        list(replay_traces(pack, [task], [expected], [], engine, config))


def spoil(quay, line):
    """Put a line into the backend that is reached by every find_berth call."""
    quay.replace("backend.py", '    if name == "find_berth":', f'    if name == "find_berth":\n        {line}')


def test_a_call_that_raises_is_told_once_at_its_line_and_the_other_tasks_are_proven(quay):
    spoil(quay, 'raise LookupError("tide is out")')
    replays, findings, final = replayed(
        quay, lambda pack: [depth_task(pack), booking_task(pack), depth_task(pack, 1), depth_task(pack, 2)]
    )
    assert [each.completed for each in replays] == [False, False, True, True, False, False, False, False]
    (only,) = findings
    assert (only.template_id, only.tool, str(only.check), only.severity) == ("berth_depth", "find_berth", "7", "error")
    assert only.place == quay.place("backend.py", "raise LookupError")
    assert "tide is out" in only.message
    assert only.message.count("2 more tasks") == 1
    assert only.detail["tasks"] == 3
    assert final
    first = replays[0]
    assert [(call.tool, call.failed, call.result) for call in first.calls] == [("find_berth", True, None)]
    assert failure_from_json(first.failure).op == "call_tool"


FORGERY = """import contextlib, os
        for fd in range(3, 400):
            with contextlib.suppress(OSError):
                os.write(fd, b"x" * 99)"""
AT_CALL = ("task_templates.yaml", "{type: tool_call, tool: find_berth}")


@pytest.mark.parametrize(
    ("line", "kind", "code", "at", "final"),
    [
        ("import time; time.sleep(60)", "timeout", "tool_timeout", ("backend.py", "import time"), False),
        ("import os; os._exit(3)", "died", "worker_died", AT_CALL, False),
        ("return {1, 2}", "not_json", "non_json_result", AT_CALL, True),
        ('return {"text": "x" * 300_000}', "too_large", "result_too_large", AT_CALL, True),
        (FORGERY, "bad_reply", "bad_worker_reply", AT_CALL, True),
        ('raise ValueError("no")', "raised", "executable_replay_failed", ("backend.py", "raise ValueError"), True),
    ],
    ids=["hangs", "exits", "no JSON", "too large", "forges", "raises"],
)
def test_a_hostile_call_costs_its_own_template_only(quay, line, kind, code, at, final):
    spoil(quay, line)
    replays, findings, was_final = replayed(
        quay, lambda pack: [booking_task(pack), depth_task(pack), booking_task(pack, 1)], limits=QUICK
    )
    assert [each.completed for each in replays] == [True, True, False, False, True, True]
    assert {failure_from_json(each.failure).kind for each in replays if each.failure} == {kind}
    (only,) = findings
    assert (only.template_id, only.tool, only.severity) == ("berth_depth", "find_berth", "error")
    assert (only.code, only.place) == (code, quay.place(*at))
    assert was_final is final


def test_a_megabyte_on_standard_output_harms_nobody(quay):
    spoil(quay, 'print("x" * 1_000_000)')
    replays, findings, final = replayed(quay, lambda pack: [depth_task(pack)])
    assert all(each.completed for each in replays)
    assert (findings, final) == ((), True)


def test_a_reset_that_raises_is_told_once_for_all_templates(quay):
    quay.replace("backend.py", "    STATE.clear()", '    raise RuntimeError("no tide table")\n    STATE.clear()')
    replays, findings, _ = replayed(quay, lambda pack: [depth_task(pack), booking_task(pack), depth_task(pack, 1)])
    assert not any(each.completed or each.calls for each in replays)
    (only,) = findings
    assert only.template_id is None
    assert only.place == quay.place("backend.py", "raise RuntimeError")
    assert only.detail["tasks"] == 3


@pytest.mark.parametrize(
    ("limits", "code"),
    [(Limits(reset_s=0.3), "reset_timeout"), (Limits(reset_s=5.0, episode_s=0.3), "episode_timeout")],
)
def test_a_reset_that_hangs_is_told_at_its_line_with_the_limit_that_fired(quay, limits, code):
    quay.replace("backend.py", "    STATE.clear()", "    import time\n    time.sleep(60)\n    STATE.clear()")
    replays, (only,), final = replayed(quay, lambda pack: [depth_task(pack)], limits=limits)
    assert not any(each.completed for each in replays)
    assert (only.code, only.place, only.template_id) == (code, quay.place("backend.py", "time.sleep(60)"), None)
    assert not final


def two_calls(pack):
    task = instance(pack, "berth_depth", berth_id="B-1")
    return [(task, trace(task, ("find_berth", {"berth_id": "B-NONE"}), ("find_berth", {"berth_id": "B-NONE"})))]


def test_the_first_failing_call_of_a_task_is_the_root_of_those_after_it(quay):
    quay.replace(
        "task_templates.yaml",
        "    - {type: tool_call, tool: find_berth}\n",
        "    - {type: tool_call, tool: find_berth}\n" * 2,
    )
    (first, _), findings, _ = replayed(quay, two_calls)
    assert [(call.failed, call.consequence_of) for call in first.calls] == [(True, None), (True, 0)]
    root, consequence = findings
    assert codes(findings) == ["expected_call_failed", "expected_call_failed"]
    assert (root.root, consequence.root) == (None, root.id)
    assert root.place == quay.place("task_templates.yaml", "{type: tool_call, tool: find_berth}")
    assert consequence.place == quay.place("task_templates.yaml", "{type: tool_call, tool: find_berth}", 2)
    assert root.severity == "warning"


def test_a_refused_call_of_a_negative_path_is_what_it_is_for(quay):
    def refused(pack):
        task = instance(pack, "berth_unknown", berth_id="B-NONE")
        return [(task, trace(task, ("find_berth", {"berth_id": "B-NONE"})))]

    assert replayed(quay, refused)[1] == ()


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("return [1]", "non_object_result"),
        ("return None", "non_object_result"),
        ('return {"error": "gone"}', "malformed_error"),
        ('return {"error": None}', "malformed_error"),
    ],
)
def test_a_result_that_the_contract_does_not_allow_is_an_error_at_the_call(quay, line, code):
    spoil(quay, line)
    replays, findings, _ = replayed(quay, lambda pack: [depth_task(pack)])
    assert all(each.completed for each in replays)
    (only,) = findings
    assert (only.code, only.severity, str(only.check), only.tool) == (code, "error", "7", "find_berth")
    assert only.place == quay.place("task_templates.yaml", "{type: tool_call, tool: find_berth}")


def test_a_declared_mutation_that_does_not_happen_is_an_error_at_the_declaration(quay):
    quay.replace("task_templates.yaml", "  turn_policy: single_turn", "  turn_policy: single_turn\n  mutates: true")
    _, findings, _ = replayed(quay, lambda pack: [depth_task(pack)])
    (only,) = findings
    assert (only.code, only.template_id) == ("template_mutation_not_observed", "berth_depth")
    declared = quay.place("task_templates.yaml", "mutates: true")
    assert only.place == replace(declared, column=declared.column + len("mutates: "))


def test_a_mutation_that_neither_template_nor_tool_declares_is_an_error(quay):
    quay.replace("tools.json", '    "x-mutates": true,\n', "")
    quay.replace("task_templates.yaml", "  mutates: true\n", "")
    _, findings, _ = replayed(quay, lambda pack: [booking_task(pack)])
    (only,) = findings
    assert (only.code, only.template_id, str(only.check)) == ("undeclared_mutation", "berth_booking", "7")
    assert only.place.file == "task_templates.yaml"


@pytest.mark.parametrize(
    ("file", "declaration"), [("tools.json", '    "x-mutates": true,\n'), ("task_templates.yaml", "  mutates: true\n")]
)
def test_one_declaration_of_the_two_is_enough(quay, file, declaration):
    quay.replace(file, declaration, "")
    assert replayed(quay, lambda pack: [booking_task(pack)])[1] == ()


def test_a_mutation_that_an_error_prevented_follows_from_the_failing_call(quay):
    def refused(pack):
        task = instance(pack, "berth_booking", berth_id="B-NONE")
        return [(task, trace(task, ("book_berth", {"berth_id": "B-NONE", "confirm": True})))]

    root, consequence = replayed(quay, refused)[1]
    assert codes([root, consequence]) == ["expected_call_failed", "template_mutation_not_observed"]
    assert consequence.root == root.id


def test_a_negative_path_that_shows_no_rejection_is_a_warning(quay):
    def accepted(pack):
        task = instance(pack, "berth_unknown", berth_id="B-1")
        return [(task, trace(task, ("find_berth", {"berth_id": "B-1"})))]

    (only,) = replayed(quay, accepted)[1]
    assert (only.code, only.severity, only.template_id) == (
        "negative_path_shows_no_rejection",
        "warning",
        "berth_unknown",
    )
    assert only.place == quay.place("task_templates.yaml", "negative_path")
    assert '"depth":12' in only.message


def test_records_stream_as_their_inputs_come(quay):
    pack = load(quay)
    config = config_of(quay)
    drawn = []

    def endless():
        for number in range(10**6):
            drawn.append(number)
            yield depth_task(pack, number)

    with running(pack, config) as engine:
        first, second, third = tee(endless(), 3)
        stream = replay_traces(
            pack,
            (task for task, _ in first),
            (each for _, each in second),
            (valid(task) for task, _ in third),
            engine,
            config,
        )
        for _, _ in zip(range(20), stream, strict=False):
            pass
        stream.close()
    assert len(drawn) < 5_000


def test_a_pack_without_a_backend_has_no_replays(quay):
    (quay.root / "backend.py").unlink()
    assert replayed(quay, lambda pack: [depth_task(pack)]) == ([], (), True)


def test_a_template_that_hangs_is_given_up_after_a_few_of_its_instances(quay):
    spoil(quay, "import time; time.sleep(60)")
    count = 200
    replays, findings, final = replayed(
        quay, lambda pack: [*(depth_task(pack, number) for number in range(count)), booking_task(pack)], limits=SHORT
    )
    assert len(replays) == 2 * count + 2
    assert not any(each.completed for each in replays[:-2])
    assert all(each.completed for each in replays[-2:])
    waited = [each for each in replays if each.failure and not each.failure["message"].startswith("not run")]
    assert len(waited) <= 2 * MOST_OVERRUNS
    assert {each.code for each in findings} == {"tool_timeout"}
    assert sum(each.detail["tasks"] for each in findings) >= count
    assert not final


class TestRehearsal:
    """The second attempt at a template's first task runs twice, and only the last run counts."""

    def test_what_a_single_task_leaves_behind_shows(self, quay):
        self.spoil(quay, 'CALLS.append(1)\n    STATE["n"] = len(CALLS)')
        (first, second), _, _ = replayed(quay, lambda pack: [depth_task(pack)])
        assert (first.state_after["n"], second.state_after["n"]) == (1, 2)
        assert [len(each.calls) for each in (first, second)] == [1, 1]
        assert second.completed

    def test_only_the_first_task_of_a_template_is_rehearsed(self, quay):
        quay.replace("backend.py", "STATE = {}", "STATE = {}\nRESETS = []")
        quay.replace("backend.py", "    STATE.clear()", "    STATE.clear()\n    RESETS.append(1)")
        quay.replace("backend.py", "    return copy.deepcopy(STATE)", "    return {'resets': len(RESETS)}")
        replays, _, _ = replayed(quay, lambda pack: [depth_task(pack), depth_task(pack, 1), booking_task(pack)])
        of_second = [each.state_after["resets"] for each in replays if each.attempt == 2]
        assert of_second == [5, 3, 2]

    def test_a_failure_of_the_second_run_is_that_of_the_attempt(self, quay):
        self.spoil(quay, 'CALLS.append(1)\n    if len(CALLS) == 2:\n        raise LookupError("again")')
        (first, second), _, _ = replayed(quay, lambda pack: [depth_task(pack)])
        assert first.completed
        assert (second.failure["step"], second.failure["message"]) == (2, "LookupError: again")
        assert [call.failed for call in second.calls] == [True]

    def test_a_failure_of_the_rehearsal_is_that_of_the_attempt_as_well(self, quay):
        self.spoil(quay, 'import os\n    if "14" in os.environ["TZ"]:\n        raise LookupError("there")')
        (first, second), _, _ = replayed(quay, lambda pack: [depth_task(pack)])
        assert first.completed
        assert (second.failure["step"], second.failure["message"]) == (2, "LookupError: there")
        assert len(second.calls) == 1

    def spoil(self, quay, code):
        quay.replace("backend.py", "STATE = {}", "STATE = {}\nCALLS = []")
        quay.replace("backend.py", '    if name == "find_berth":', f'    {code}\n    if name == "find_berth":')
