from __future__ import annotations

import time

import pytest

from assay.findings import Place
from assay.oracle.evidence import FailureKind
from tests.oracle.running import CONTEXT, judge_one, judgement


def one(engine_of, body, *, top="", limits=None, **facts):
    """Judge with one assertion whose body is given."""
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    text = f"{top}\ndef assert_it(*, state, trace, task, ctx):\n{lines}\n"
    (outcome,) = judge_one(engine_of({"assertions.py": text}, limits=limits or {}), "assert_it", **facts)
    assert outcome.assertion == "assert_it"
    return outcome


class TestOutcomeClasses:
    def test_none_passes(self, engine_of):
        outcome = one(engine_of, "return None")
        assert (outcome.status, outcome.detail, outcome.place, outcome.failure) == ("passed", None, None, None)

    def test_assertion_error_fails_with_its_text_and_place(self, engine_of):
        outcome = one(engine_of, "assert trace, 'expected one tool call'")
        assert (outcome.status, outcome.detail, outcome.failure) == ("failed", "expected one tool call", None)
        assert outcome.place in (Place("assertions.py", 3, 5), Place("assertions.py", 3, 12))  # from Python 3.13 on

    def test_a_subclass_of_assertion_error_fails_too(self, engine_of):
        assert one(engine_of, "raise Mine('x')", top="class Mine(AssertionError): pass").status == "failed"

    def test_an_assertion_without_a_message_has_an_empty_one(self, engine_of):
        assert one(engine_of, "assert False").detail == ""

    def test_the_place_is_the_innermost_line_of_the_pack(self, engine_of):
        files = {
            "assertions.py": "from checks import check\ndef assert_it(*, state, trace, task, ctx):\n    check(state)\n",
            "checks.py": "import json\ndef check(state):\n    if state is not None:\n        json.loads('{')\n",
        }
        (outcome,) = judge_one(engine_of(files), "assert_it")
        assert outcome.status == "infrastructure_error"
        assert outcome.place == Place("checks.py", 4, 9)
        assert outcome.failure is not None
        assert '"<python>/json/decoder.py"' in (outcome.failure.traceback or "")

    @pytest.mark.parametrize("detail", ["no loan in this task", " x "])
    def test_not_applicable_with_a_detail(self, engine_of, detail):
        outcome = one(engine_of, f"return {{'status': 'not_applicable', 'detail': {detail!r}}}")
        assert (outcome.status, outcome.detail, outcome.failure) == ("not_applicable", detail, None)

    @pytest.mark.parametrize(
        "returned",
        [
            "True",
            "False",
            "0",
            "''",
            "'passed'",
            "[]",
            "{}",
            "{'status': 'passed'}",
            "{'status': 'not_applicable'}",
            "{'status': 'not_applicable', 'detail': ''}",
            "{'status': 'not_applicable', 'detail': '  '}",
            "{'status': 'not_applicable', 'detail': 3}",
            "{'status': 'n/a', 'detail': 'x'}",
            "object()",
            "(x for x in ())",
        ],
    )
    def test_any_other_return_value_is_an_infrastructure_error(self, engine_of, returned):
        outcome = one(engine_of, f"return {returned}")
        assert outcome.status == "infrastructure_error"
        assert outcome.detail is not None
        assert outcome.detail.startswith("it returned ")
        assert outcome.failure is None

    @pytest.mark.parametrize(
        ("code", "detail"),
        [
            ("raise KeyError('book')", "KeyError: 'book'"),
            ("import sys; sys.exit(0)", "SystemExit: 0"),
            ("raise KeyboardInterrupt", "KeyboardInterrupt"),
            ("state['x']['y']", "KeyError: 'x'"),
        ],
    )
    def test_any_other_exception_is_an_infrastructure_error(self, engine_of, code, detail):
        outcome = one(engine_of, code)
        assert (outcome.status, outcome.detail) == ("infrastructure_error", detail)
        assert outcome.place is not None
        assert outcome.place.line == 3
        assert outcome.failure is not None
        assert (outcome.failure.kind, outcome.failure.op) == (FailureKind.RAISED, "assertion")
        assert "assert_it" in (outcome.failure.traceback or "")

    def test_a_returned_mapping_that_raises_when_it_is_read(self, engine_of):
        top = "class Odd(dict):\n    def get(self, *a):\n        raise ValueError('no')"
        assert one(engine_of, "return Odd()", top=top).detail == "ValueError: no"

    def test_a_coroutine_is_not_a_verdict(self, engine_of):
        text = "async def assert_it(*, state, trace, task, ctx):\n    assert False\n"
        (outcome,) = judge_one(engine_of({"assertions.py": text}), "assert_it")
        assert outcome.status == "infrastructure_error"

    def test_an_unknown_name(self, engine_of):
        (outcome,) = judge_one(engine_of({"assertions.py": "assert_x = 3\n"}), "assert_x")
        assert (outcome.status, outcome.detail) == (
            "infrastructure_error",
            "the assertions module exports no assert_x",
        )

    def test_with_a_mapping_only_its_entries_are_called(self, engine_of):
        text = "def assert_it(*, state, trace, task, ctx): pass\nASSERTIONS = {'assert_other': assert_it}\n"
        outcomes = judge_one(engine_of({"assertions.py": text}), "assert_it", "assert_other")
        assert [outcome.status for outcome in outcomes] == ["infrastructure_error", "passed"]


def test_an_assertion_sees_evidence_task_and_context(engine_of):
    body = """
assert state == {"books": [{"id": 1}]}, state
assert trace == [{"tool": "look", "arguments": {"id": 1}, "result": {"ok": True}}], trace
assert task["slots"] == {"id": 1}
assert ctx.clock.isoformat() == "2026-03-02T09:00:00+07:00"
assert (ctx.seed, ctx.timeout_s, ctx.task_id, ctx.turn_index) == (7, 5.0, "port__ctx__7f", 2)
""".strip()
    outcome = one(
        engine_of,
        body,
        state={"books": [{"id": 1}]},
        trace=[{"tool": "look", "arguments": {"id": 1}, "result": {"ok": True}}],
        task={"slots": {"id": 1}},
    )
    assert outcome.status == "passed", outcome


def test_what_one_assertion_does_to_its_evidence_no_other_sees(engine_of):
    text = """
        def _spoil(state, trace, task):
            assert (state, trace, task) == ({"a": [1]}, [{"tool": "t"}], {"slots": {"x": 1}})
            state["a"].append(2)
            trace.clear()
            task["slots"] = None


        def assert_one(*, state, trace, task, ctx):
            _spoil(state, trace, task)


        def assert_two(*, state, trace, task, ctx):
            _spoil(state, trace, task)
    """
    facts = {"state": {"a": [1]}, "trace": [{"tool": "t"}], "task": {"slots": {"x": 1}}}
    outcomes = judge_one(engine_of({"assertions.py": text}), "assert_one", "assert_two", "assert_one", **facts)
    assert [(each.assertion, each.status) for each in outcomes] == [
        ("assert_one", "passed"),
        ("assert_two", "passed"),
        ("assert_one", "passed"),
    ]


class TestBadAssertions:
    TEXT = """
        import os, time


        def assert_fine(*, state, trace, task, ctx):
            pass


        def assert_hangs(*, state, trace, task, ctx):
            time.sleep(60)


        def assert_exits(*, state, trace, task, ctx):
            os._exit(3)


        def assert_forges(*, state, trace, task, ctx):
            for fd in range(3, 400):
                try:
                    os.write(fd, b"x" * 100)
                except OSError:
                    pass
    """

    def test_each_costs_its_own_outcome_alone(self, engine_of):
        names = ("assert_fine", "assert_hangs", "assert_fine", "assert_exits", "assert_forges", "assert_fine")
        engine = engine_of({"assertions.py": self.TEXT}, limits={"assertion_s": 0.3})
        outcomes = judge_one(engine, *names)
        assert [outcome.assertion for outcome in outcomes] == list(names)
        kinds = [outcome.failure.kind.value if outcome.failure else outcome.status for outcome in outcomes]
        assert kinds == ["passed", "timeout", "passed", "died", "bad_reply", "passed"]
        hung = outcomes[1]
        assert (hung.status, hung.place) == ("infrastructure_error", Place("assertions.py", 10, 5))
        assert hung.failure is not None
        assert (hung.failure.limit, hung.failure.limit_s, hung.failure.op) == ("assertion", 0.3, "assertion")
        assert "assertion assert_hangs was still running" in hung.failure.message

    def test_judgements_after_it_are_not_disturbed(self, engine_of):
        engine = engine_of({"assertions.py": self.TEXT}, limits={"assertion_s": 0.3})
        asked = [
            ("assert_fine", "assert_hangs"),
            ("assert_fine",),
            (),
            ("assert_exits", "assert_fine"),
            ("assert_fine",),
        ]
        outcomes = list(engine.judge(judgement(*names) for names in asked))
        statuses = [[outcome.status[:6] for outcome in each] for each in outcomes]
        assert statuses == [["passed", "infras"], ["passed"], [], ["infras", "passed"], ["passed"]]

    def test_a_module_that_cannot_be_imported_fails_every_assertion_once(self, engine_of):
        engine = engine_of({"assertions.py": "import time\ntime.sleep(60)\n"}, limits={"import_s": 0.4})
        started = time.monotonic()
        judged = list(engine.judge(judgement("assert_a", "assert_b") for _ in range(20)))
        assert time.monotonic() - started < 3
        assert all(
            [(each.status, each.failure.op if each.failure else None) for each in outcomes]
            == [("infrastructure_error", "import")] * 2
            for outcomes in judged
        )


def test_assertions_never_share_a_process_with_the_backend(engine_of):
    files = {
        "backend.py": "seen = []\ndef list_tools(): return []\n",
        "assertions.py": """
            import sys, backend


            def assert_separate(*, state, trace, task, ctx):
                assert backend.__name__ == "backend"
                assert [name for name in sys.modules if name.startswith("_pack_")] == ["_pack_assertions"]
        """,
    }
    (outcome,) = judge_one(engine_of(files), "assert_separate")
    assert outcome.status == "passed", outcome


def test_many_judgements_of_both_attempts_come_back_in_order(engine_of):
    text = """
        import os


        def assert_order(*, state, trace, task, ctx):
            assert False, f"{state['number']} {os.environ['TZ']}"
    """
    engine = engine_of({"assertions.py": text})
    asked = [(number, 1 + number * 7 % 3 % 2) for number in range(300)]
    outcomes = engine.judge(judgement("assert_order", state={"number": n}, attempt=attempt) for n, attempt in asked)
    zones = {1: "<-12>12", 2: "<+14>-14"}
    assert [each.detail for (each,) in outcomes] == [f"{number} {zones[attempt]}" for number, attempt in asked]


def test_judging_reads_ahead_in_bounds(engine_of):
    taken = []

    def source():
        for number in range(1000):
            taken.append(number)
            yield judgement("assert_it")

    engine = engine_of({"assertions.py": "def assert_it(*, state, trace, task, ctx): pass\n"})
    outcomes = engine.judge(source())
    next(outcomes)
    assert len(taken) <= 128
    outcomes.close()


def test_a_pack_without_assertions_cannot_judge(engine_of):
    with pytest.raises(ValueError, match="no assertions"):
        engine_of({"backend.py": ""}).judge([])


def test_details_do_not_tell_addresses_or_paths(engine_of, tmp_path):
    outcome = one(engine_of, "assert False, f'{object()} {__file__}'")
    assert outcome.detail == "<object object at 0x...> assertions.py"


def test_the_context_is_that_of_the_judgement():
    assert judgement().context is CONTEXT


class TestOrder:
    """Under attempt 2 the last judgement of a chunk and the last assertion of each run first."""

    RECORDS = """
        SEEN = []

        def noted(name, ctx):
            SEEN.append(name)
            raise AssertionError(",".join(SEEN))

        def assert_a(*, state, trace, task, ctx): noted(f"a{task}", ctx)
        def assert_b(*, state, trace, task, ctx): noted(f"b{task}", ctx)
    """

    def details(self, engine_of, attempt, count):
        judgements = [judgement("assert_a", "assert_b", task=number, attempt=attempt) for number in range(count)]
        judged = list(engine_of({"assertions.py": self.RECORDS}).judge(judgements))
        assert [[each.assertion for each in outcomes] for outcomes in judged] == [["assert_a", "assert_b"]] * count
        return [[each.detail.split(",") for each in outcomes] for outcomes in judged]

    def test_attempt_1_runs_as_declared(self, engine_of):
        (first, second), (third, fourth) = self.details(engine_of, 1, 2)
        assert [each[-1] for each in (first, second, third, fourth)] == ["a0", "b0", "a1", "b1"]
        assert fourth == ["a0", "b0", "a1", "b1"]

    def test_attempt_2_runs_backwards_and_gives_back_in_order(self, engine_of):
        (first, second), (third, fourth) = self.details(engine_of, 2, 2)
        assert [each[-1] for each in (first, second, third, fourth)] == ["a0", "b0", "a1", "b1"]
        assert first == ["b1", "a1", "b0", "a0"]

    def test_an_assertion_that_kills_its_worker_costs_its_own_outcome_under_attempt_2_too(self, engine_of):
        text = """
            import os
            def assert_a(*, state, trace, task, ctx): pass
            def assert_b(*, state, trace, task, ctx): os._exit(3)
            def assert_c(*, state, trace, task, ctx): pass
        """
        outcomes = judge_one(engine_of({"assertions.py": text}), "assert_a", "assert_b", "assert_c", attempt=2)
        assert [each.status for each in outcomes] == ["passed", "infrastructure_error", "passed"]
        assert [each.assertion for each in outcomes] == ["assert_a", "assert_b", "assert_c"]

    def test_judgements_of_both_attempts_come_back_in_the_order_given(self, engine_of):
        text = "def assert_a(*, state, trace, task, ctx): assert False, str(task)\n"
        judgements = [judgement("assert_a", task=n, attempt=1 + n % 2) for n in range(300)]
        judged = engine_of({"assertions.py": text}).judge(judgements)
        assert [outcome.detail for (outcome,) in judged] == [str(n) for n in range(300)]
