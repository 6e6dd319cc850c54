import pytest

from assay.artifacts import codec, tables
from assay.artifacts.table_rows import TableRows
from assay.findings import Place, finding
from assay.stages.records import (
    AssertionOutcome,
    ConversationPlan,
    ExpectedCall,
    ExpectedTrace,
    GuardViolation,
    InstanceVerdict,
    JudgedMutant,
    MutantOutcome,
    PlanStep,
    ProbeAttempt,
    RenderedConversation,
    RenderedTurn,
    Replay,
    ReplayedCall,
    SchemaCheck,
    SlotUpdate,
    TaskInstance,
)
from assay.values import ABSENT

BANK = codec.PackIdentity(pack_id="bank", version="1", fingerprint="f" * 64)
AWKWARD = {"text": "Đà Nẵng", "whole": 1, "part": 1.0, "none": None, "truth": True, "list": [1, [2.5]], "big": 2**70}


def instance(**changed):
    facts = {
        "task_id": "bank__t__0",
        "template_id": "t",
        "pack_id": "bank",
        "pack_version": "1",
        "intent": None,
        "category": "c",
        "difficulty": None,
        "turn_policy": "correction",
        "call_order": "prefix",
        "call_order_prefix": 1,
        "variant_index": 0,
        "seed": 2**64 - 1,
        "representative": True,
        "mutates": False,
        "required_tools": ("a", "b"),
        "tools_present": (),
        "success_assertions": ("assert_x",),
        "edge_signatures": (),
        "fixture_refs": ('["rows","1"]',),
        "slots": AWKWARD,
        "slots_initial": {},
        "slot_updates": (SlotUpdate(entry_index=1, values=AWKWARD, aliases={"new": 3}),),
    }
    return TaskInstance(**{**facts, **changed})


def stored(schema, rows):
    """Return rows as they are read back from a table."""
    return TableRows.of_table(codec.make_table(schema, rows))


def each_row(make, records):
    return (make(BANK, each) for each in records)


def all_rows(make, records):
    return (row for each in records for row in make(BANK, each))


def same_types(left, right):
    return repr(left) == repr(right)


def test_instances_come_back_with_the_types_of_their_values():
    given = (instance(), instance(task_id="bank__t__1", call_order_prefix=None, slot_updates=(), seed=0))
    back = tuple(codec.read_task_instances(stored(tables.TASK_INSTANCES, each_row(codec.task_instance_row, given))))
    assert back == given
    assert same_types(back[0].slots["part"], 1.0)
    assert same_types(back[0].slots["whole"], 1)


def test_plans_come_back():
    steps = (
        PlanStep(kind="user", source="first_turn"),
        PlanStep(kind="text", milestone_type="ask_confirm", milestones=(0,), turn_index=0),
        PlanStep(kind="user", source="simulator", entry_index=0, update_index=0),
        PlanStep(kind="calls", milestones=(1, 2), call_group=0, turn_index=1, tools=("a", "b")),
    )
    plan = ConversationPlan(
        task_id="x",
        template_id="t",
        turn_policy="correction",
        steps=steps,
        confirmed_call_turns=(1,),
        num_user_turns=2,
        num_tool_calls=2,
        has_slot_correction=True,
    )
    rows = stored(tables.CONVERSATION_PLANS, each_row(codec.conversation_plan_row, [plan]))
    assert [*codec.read_conversation_plans(rows)] == [plan]


def test_conversations_come_back_turn_by_turn():
    given = tuple(
        RenderedConversation(
            task_id=task_id,
            template_id="t",
            language="de",
            system_prompt_id="sha256:0",
            turns=(
                RenderedTurn(turn=0, role="user", content="Hallo"),
                RenderedTurn(turn=1, role="assistant", content=None, call_group=0),
            ),
            guard_violations=(GuardViolation(guard="must_omit", turn=0, slot="s", value=[1.0]),),
        )
        for task_id in ("x", "y")
    )
    rows = stored(tables.RENDERED_CONVERSATIONS, all_rows(codec.rendered_conversation_rows, given))
    assert tuple(codec.read_rendered_conversations(rows)) == given


def test_traces_and_checks_come_back():
    call = ExpectedCall(
        turn_index=0, call_group=0, position_in_group=0, function_name="a", arguments=AWKWARD, milestone=1
    )
    given = (
        ExpectedTrace(task_id="x", template_id="t", turn_policy="single_turn", calls=(call, call)),
        ExpectedTrace(task_id="y", template_id="t", turn_policy="single_turn", calls=(), drop_reason="missing field"),
    )
    traces = stored(tables.EXPECTED_TRACES, each_row(codec.expected_trace_row, given))
    calls = stored(tables.EXPECTED_CALLS, all_rows(codec.expected_call_rows, given))
    assert tuple(codec.read_expected_traces(traces, calls)) == given
    checks = (
        SchemaCheck(task_id="x", template_id="t", reject_reason=None),
        SchemaCheck(task_id="y", template_id="t", reject_reason="trace_not_derived", failures=({"reason": "r"},)),
    )
    rows = stored(tables.SCHEMA_CHECKS, each_row(codec.schema_check_row, checks))
    assert tuple(codec.read_schema_checks(rows)) == checks


def test_replays_come_back_with_their_states():
    calls = (
        ReplayedCall(call_index=0, tool="a", arguments={}, result={"error": {"code": "x"}}, failed=True),
        ReplayedCall(call_index=1, tool="a", arguments=AWKWARD, result=None, failed=True, consequence_of=0),
    )
    given = (
        Replay(
            task_id="x",
            template_id="t",
            attempt=1,
            completed=True,
            calls=calls,
            state_before={"rows": [1, 2, 3]},
            state_after={"rows": [1, 5], "new": AWKWARD},
        ),
        Replay(
            task_id="x",
            template_id="t",
            attempt=2,
            completed=False,
            calls=(),
            state_before=None,
            state_after=None,
            failure={"kind": "timeout", "op": "reset"},
        ),
        Replay(
            task_id="y",
            template_id="t",
            attempt=1,
            completed=True,
            calls=calls[:1],
            state_before={},
            state_after={},
        ),
    )
    states = stored(tables.REPLAY_STATES, each_row(codec.replay_state_row, given))
    executed = stored(tables.REPLAYS, all_rows(codec.replayed_call_rows, given))
    assert tuple(codec.read_replays(states, executed)) == given
    assert [digest is None for (digest,) in states.values("state_digest")] == [not each.completed for each in given]


def test_outcomes_come_back_with_their_places():
    given = tuple(
        AssertionOutcome(
            task_id="x",
            template_id="t",
            attempt=attempt,
            assertion="assert_x",
            status="failed",
            detail="no",
            place=Place("assertions.py", 3, 5),
        )
        for attempt in (1, 2)
    )
    rows = stored(tables.ASSERTION_OUTCOMES, codec.assertion_outcome_rows(BANK, given))
    assert tuple(codec.read_assertion_outcomes(rows)) == given
    assert [*rows.values("position")] == [(0,), (0,)]


def test_findings_come_back():
    root = finding("internal_error", "first", at=Place("a", 1, 2), detail={"x": [1.0]})
    given = (root, finding("internal_error", "second", template_id="t", slot="s").following(root))
    back = codec.read_findings(codec.findings_table(BANK, {"bind": given}))
    assert back == given
    assert [each.id for each in back] == [each.id for each in given]


def test_probes_and_verdicts_become_rows():
    attempt = ProbeAttempt(
        case_id="c",
        tool="a",
        attempt=1,
        group=0,
        arguments=[1],
        result=None,
        result_class="failed",
        error_code=None,
        state_changed=None,
        failure={"kind": "died"},
    )
    assert codec.probes_table(BANK, [attempt]).to_pylist()[0]["arguments"] == "[1]"
    verdict = InstanceVerdict(task_id="x", template_id="t", passed=False, diverged=("state",), paths=("$.a",))
    (row,) = stored(tables.VERDICTS, each_row(codec.verdict_row, [verdict]))
    assert row["paths"] == ["$.a"]


def test_every_table_can_be_empty_and_names_its_version():
    for schema in tables.ALL_TABLES.values():
        table = codec.make_table(schema, [])
        assert table.num_rows == 0
        assert table.schema.metadata[b"assay.table"].decode() == schema.name
        assert schema.columns[:3] == tables.PACK_COLUMNS


def test_a_null_where_none_may_be_is_refused():
    with pytest.raises(ValueError, match=r"schema_checks.template_id"):
        codec.make_table(tables.SCHEMA_CHECKS, [("bank", "1", "f", None, "x", True, None, "[]")])


def test_mutants_come_back_and_a_null_is_not_nothing():
    hung = {"kind": "timeout", "op": "assertion", "message": "too slow"}
    outcomes = (
        MutantOutcome(assertion="assert_x", status="failed"),
        MutantOutcome(assertion="assert_y", status="undecided", failure=hung),
    )
    whole = {"task_id": "bank__t__0", "template_id": "t", "call_index": 2, "tool": "pay"}
    given = (
        JudgedMutant(**whole, index=0, kind="drop_call", path=None, before=ABSENT, after=ABSENT, outcomes=outcomes),
        JudgedMutant(**whole, index=1, kind="change_result", path="$.a", before=None, after=AWKWARD, outcomes=()),
    )
    table = codec.make_table(tables.MUTANTS, (codec.mutant_row(BANK, each) for each in given))
    back = tuple(codec.read_mutants(table.to_pylist()))
    assert back == given
    assert same_types(back[1].after["part"], 1.0)
    assert table.column("status").to_pylist() == ["killed", "undecided"]
    assert table.column("killed_by").to_pylist() == [["assert_x"], []]
    assert table.column("before").to_pylist() == [None, "null"]
