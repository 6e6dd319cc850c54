from __future__ import annotations

from itertools import pairwise

import pytest

from assay.oracle.evidence import CallTool, EpisodeContext, FailureKind, GetState, Reset, StopEpisode
from assay.oracle.team import lane_number
from tests.oracle.running import CONTEXT, backend, call, episode, run_call, run_one

COUNTER = backend(
    top="count = 0\nresets = 0",
    reset="global count, resets\ncount = 0\nresets += 1",
    call="global count\ncount += arguments.get('by', 1)\nreturn {'count': count}",
    state="return {'count': count, 'resets': resets}",
)


def test_gives_back_one_result_per_step_and_the_arguments_sent(engine_of):
    evidence = run_one(engine_of(COUNTER), Reset(), GetState(), call({"by": 3}), GetState())
    assert evidence.completed
    assert evidence.results == (None, {"count": 0, "resets": 1}, {"count": 3}, {"count": 3, "resets": 1})
    assert evidence.arguments == (None, None, {"by": 3}, None)


def test_one_worker_serves_many_episodes_with_a_reset_between(engine_of):
    engine = engine_of(COUNTER)
    episodes = [episode(Reset(), call(), GetState()) for _ in range(150)]
    states = [evidence.results[-1] for evidence in engine.run(episodes)]
    assert states == [{"count": 1, "resets": number} for number in range(1, 151)]


def test_runs_nothing_before_it_is_asked_for_and_reads_episodes_ahead_in_bounds(engine_of):
    taken = []

    def source():
        for number in range(500):
            taken.append(number)
            yield episode(Reset(), call())

    evidence = engine_of(COUNTER).run(source())
    assert taken == []
    next(evidence)
    assert 1 <= len(taken) <= 128
    evidence.close()


def test_the_context_is_the_same_frozen_record_for_reset_and_calls_but_for_the_turn(engine_of):
    engine = engine_of(
        backend(
            top="import copy\nseen = []",
            reset="seen[:] = [(ctx.turn_index, ctx.seed)]\ncopy.deepcopy(ctx)",
            call="""
                seen.append((ctx.turn_index, ctx.seed))
                try:
                    ctx.seed = 0
                except AttributeError:
                    frozen = True
                return {
                    "clock": ctx.clock.isoformat(), "offset": ctx.clock.utcoffset().total_seconds(),
                    "timeout_s": ctx.timeout_s, "task_id": ctx.task_id, "seen": seen, "frozen": frozen,
                    "names": sorted(name for name in vars(ctx)),
                }
            """,
        )
    )
    evidence = run_one(engine, Reset(), call(turn_index=3), call(turn_index=5))
    assert evidence.results[2] == {
        "clock": "2026-03-02T09:00:00+07:00",
        "offset": 25200.0,
        "timeout_s": 5.0,
        "task_id": "port__ctx__7f",
        "seen": [[0, 7], [3, 7], [5, 7]],
        "frozen": True,
        "names": ["clock", "seed", "task_id", "timeout_s", "turn_index"],
    }


def test_case_48_both_attempts_see_the_same_task_id(engine_of):
    engine = engine_of(backend("return {'seen_task': ctx.task_id}"))
    seen = [run_one(engine, Reset(), call(), attempt=attempt).results[1] for attempt in (1, 2)]
    assert seen == [{"seen_task": "port__ctx__7f"}] * 2


def test_case_50_helpers_beside_the_backend_and_in_the_root_and_turn_indices(engine_of):
    files = {
        "wording.py": "FULL = 'brimming'\n",
        "engine/crates.py": "STOCK = ['CR-1']\n",
        "engine/main.py": backend(
            "return {'crates': crates.STOCK, 'word': wording.FULL, 'turn': ctx.turn_index}",
            top="import crates\nimport wording",
        ),
    }
    evidence = run_one(engine_of(files, backend="engine/main.py"), Reset(), call(turn_index=3), call(turn_index=5))
    assert evidence.results[1:] == tuple({"crates": ["CR-1"], "word": "brimming", "turn": turn} for turn in (3, 5))


def test_case_51_our_process_keeps_its_environment_path_and_modules(engine_of, monkeypatch):
    import os
    import sys

    monkeypatch.setenv("PORT_HOST_VAR", "stay")
    before = list(sys.path), sys.dont_write_bytecode, dict(os.environ)
    files = {
        "quay_helper_only.py": "DEPTH = 12\n",
        "backend.py": backend("return {'depth': h.DEPTH}", top="import quay_helper_only as h"),
    }
    assert run_call(engine_of(files)).results[1] == {"depth": 12}
    assert (list(sys.path), sys.dont_write_bytecode, dict(os.environ)) == before
    assert "quay_helper_only" not in sys.modules


def test_every_reset_gets_a_fresh_copy_of_the_fixtures(engine_of):
    engine = engine_of(
        backend(
            top="seen = []", reset="seen.append(len(fixtures['rows']))\nfixtures['rows'].clear()", state="return seen"
        ),
        fixtures={"rows": [1, 2, 3]},
    )
    assert run_one(engine, Reset(), Reset(), GetState()).results[-1] == [3, 3]


def test_a_pack_without_fixtures_is_reset_with_none(engine_of):
    engine = engine_of(backend(top="seen = []", reset="seen.append(fixtures)", state="return seen"))
    assert run_one(engine, Reset(), GetState()).results[-1] == [None]


def test_arguments_are_any_json_value_and_a_fresh_copy(engine_of):
    engine = engine_of(backend("got = arguments\nif isinstance(got, dict): got['mine'] = 1\nreturn {'got': got}"))
    sent = [{"a": [1, 1.0, None]}, "text", 7, None, ["", "é", "\u2028"], {"big": 2**70}]
    evidence = run_one(engine, Reset(), *(CallTool("probe", each) for each in sent))
    expected = [{"got": {**each, "mine": 1} if isinstance(each, dict) else each} for each in sent]
    assert list(evidence.results[1:]) == expected
    assert list(evidence.arguments[1:]) == sent


def test_whole_numbers_and_floats_stay_apart(engine_of):
    result = run_call(engine_of(backend("return {'i': 1, 'f': 1.0, 'b': True}"))).results[1]
    assert [type(result[key]) for key in "ifb"] == [int, float, bool]


def test_an_episode_without_a_reset_meets_the_backend_as_its_import_left_it(engine_of):
    engine = engine_of(COUNTER)
    episodes = [episode(Reset(), call()), episode(GetState()), episode(Reset(), GetState()), episode(GetState())]
    results = [evidence.results[-1] for evidence in engine.run(episodes)]
    assert results == [{"count": 1}, {"count": 0, "resets": 0}, {"count": 0, "resets": 1}, {"count": 0, "resets": 0}]


def test_an_episode_without_steps_is_complete(engine_of):
    evidence = run_one(engine_of(COUNTER))
    assert evidence.completed
    assert evidence.results == ()


class TestDependentCalls:
    def test_arguments_are_made_from_the_results_of_the_calls_before(self, engine_of):
        def from_results(results):
            return {"by": results[-1]["count"] * 10, "calls": len(results)}

        steps = (Reset(), GetState(), call({"by": 2}), CallTool("probe", from_results), CallTool("probe", from_results))
        evidence = run_one(engine_of(COUNTER), *steps)
        assert [each["count"] for each in evidence.results[2:]] == [2, 22, 242]
        assert evidence.arguments[3:] == ({"by": 20, "calls": 1}, {"by": 220, "calls": 2})

    def test_episodes_before_and_after_are_not_disturbed(self, engine_of):
        dependent = episode(Reset(), call({"by": 5}), CallTool("probe", lambda results: {"by": results[0]["count"]}))
        plain = episode(Reset(), call())
        last = [evidence.results[-1]["count"] for evidence in engine_of(COUNTER).run([plain, dependent] * 40)]
        assert last == [1, 10] * 40

    def test_stopping_ends_the_episode_cleanly_and_keeps_the_worker(self, engine_of):
        stop = StopEpisode("path a.b is missing")

        def refuse(results):
            raise stop

        engine = engine_of(COUNTER)
        stopped, after = engine.run(
            [episode(Reset(), call(), CallTool("probe", refuse), call()), episode(Reset(), GetState())]
        )
        assert stopped.stopped is stop
        assert not stopped.completed
        assert stopped.failure is None
        assert stopped.results == (None, {"count": 1})
        assert stopped.arguments == (None, {})
        assert after.results[-1]["resets"] == 2

    def test_a_mistake_of_ours_in_such_a_function_comes_out(self, engine_of):
        with pytest.raises(ZeroDivisionError):
            run_one(engine_of(COUNTER), Reset(), call(), CallTool("probe", lambda results: 1 // 0))


class TestAttempts:
    def test_attempt_2_runs_episodes_in_reversed_chunks_and_yields_them_in_order(self, engine_of):
        engine = engine_of(backend(top="ran = []", reset="ran.append(ctx.task_id)", state="return list(ran)"))
        episodes = [episode(Reset(), GetState(), context=_named(number)) for number in range(150)]
        states = [evidence.results[-1] for evidence in engine.run(episodes, attempt=2)]
        assert [state[-1] for state in states] == [str(number) for number in range(150)]
        ran = max(states, key=len)
        assert ran[:64] == [str(number) for number in reversed(range(64))]
        assert sorted(ran, key=int) == [str(number) for number in range(150)]

    def test_both_attempts_can_be_walked_side_by_side(self, engine_of):
        engine = engine_of(COUNTER)
        episodes = [episode(Reset(), call({"by": number})) for number in range(200)]
        pairs = zip(engine.run(episodes, attempt=1), engine.run(episodes, attempt=2), strict=True)
        assert all(first.results == second.results for first, second in pairs)

    @pytest.mark.parametrize("attempt", [0, 3, -1])
    def test_there_are_only_two(self, engine_of, attempt):
        with pytest.raises(ValueError, match="no attempt"):
            engine_of(COUNTER).run([], attempt=attempt)


def test_a_pack_without_a_backend_cannot_run(engine_of):
    with pytest.raises(ValueError, match="no backend"):
        engine_of({"assertions.py": ""}).run([])


def test_workers_are_replaced_after_many_episodes(engine_of):
    engine = engine_of(backend(top="import os", call="return {'pid': os.getpid()}"))
    pids = [evidence.results[1]["pid"] for evidence in engine.run(episode(Reset(), call()) for _ in range(2000))]
    in_first_lane = [pid for position, pid in enumerate(pids) if lane_number(position) == 0]
    assert len(set(pids)) == 3
    assert [index for index, pair in enumerate(pairwise(in_first_lane), 1) if pair[0] != pair[1]] == [1000]


def test_an_engine_can_be_closed_twice_and_in_the_middle(engine_of):
    engine = engine_of(COUNTER)
    evidence = engine.run(episode(Reset(), call()) for _ in range(300))
    next(evidence)
    engine.close()
    engine.close()


def test_large_requests_and_replies_cross_without_blocking_each_other(engine_of):
    engine = engine_of(backend("return {'echo': arguments['text']}"))
    text = "x" * 3_000_000
    episodes = [episode(Reset(), call({"text": text}), call({"text": text})) for _ in range(3)]
    assert all(each.results[1:] == ({"echo": text},) * 2 for each in engine.run(episodes))


def test_a_result_of_five_million_characters_arrives(engine_of):
    evidence = run_call(engine_of(backend("return {'text': 'y' * 5_000_000}")))
    assert len(evidence.results[1]["text"]) == 5_000_000


def test_arguments_beyond_the_limit_fail_their_step_without_being_sent(engine_of):
    engine = engine_of(COUNTER, limits={"frame_bytes": 1000})
    first, second = engine.run([episode(Reset(), call(), call({"text": "z" * 2000}), call()), episode(Reset(), call())])
    assert first.failure is not None
    assert (first.failure.kind, first.failure.op, first.failure.step) == (FailureKind.TOO_LARGE, "call_tool", 2)
    assert "limit is 1000" in first.failure.message
    assert first.results == (None, {"count": 1})
    assert second.completed


def _named(number: int) -> EpisodeContext:
    return EpisodeContext(clock=CONTEXT.clock, seed=1, timeout_s=5.0, task_id=str(number))
