"""Episodes are dealt over lanes by their position alone, and come back in order."""

from __future__ import annotations

import os
from collections import Counter

import pytest

from assay.oracle.evidence import EpisodeContext, GetState, Reset
from assay.oracle.team import MOST_LANES, lane_number
from tests.oracle.running import CONTEXT, backend, episode

LEAKY = backend(
    top="import os\nran = 0\nlast = None",
    reset="global ran, last, before\nbefore = last\nran += 1\nlast = ctx.task_id",
    state="return {'pid': os.getpid(), 'ran': ran, 'last': last, 'before': before}",
)


def numbered(count):
    for number in range(count):
        context = EpisodeContext(clock=CONTEXT.clock, seed=1, timeout_s=5.0, task_id=str(number))
        yield episode(Reset(), GetState(), context=context)


def states(engine, count, attempt=1):
    return [evidence.results[1] for evidence in engine.run(numbered(count), attempt=attempt)]


class TestLaneNumber:
    def test_a_small_stream_has_one_lane(self):
        assert {lane_number(position) for position in range(512)} == {0}

    def test_a_larger_one_has_more_and_none_is_left_out(self):
        assert {lane_number(position) for position in range(512, 2048)} == {0, 1}
        assert {lane_number(position) for position in range(2048, 9000)} == set(range(MOST_LANES))

    def test_lanes_are_opened_one_after_another(self):
        opened = list(dict.fromkeys(map(lane_number, range(9000))))
        assert opened == list(range(MOST_LANES))


@pytest.mark.parametrize("attempt", [1, 2])
@pytest.mark.parametrize("count", [1, 63, 64, 65, 129, 700])
def test_evidence_comes_back_in_order(engine_of, attempt, count):
    seen = states(engine_of(LEAKY), count, attempt)
    assert [each["last"] for each in seen] == [str(number) for number in range(count)]


def test_a_large_stream_is_shared_by_several_workers(engine_of):
    seen = states(engine_of(LEAKY), 2300)
    served = Counter(each["pid"] for each in seen)
    lanes = Counter(map(lane_number, range(2300)))
    assert sorted(served.values()) == sorted([1000, lanes[0] - 1000, *(lanes[each] for each in (1, 2, 3))])


@pytest.mark.parametrize("attempt", [1, 2])
def test_what_ran_before_does_not_depend_on_the_number_of_cores(engine_of, attempt):
    def leaks():
        return [(each["ran"], each["before"]) for each in states(engine_of(LEAKY), 700, attempt)]

    cores = os.sched_getaffinity(0)
    with_all = leaks()
    os.sched_setaffinity(0, {min(cores)})
    try:
        assert leaks() == with_all
    finally:
        os.sched_setaffinity(0, cores)


def test_what_ran_before_does_not_depend_on_what_the_engine_did_before(engine_of):
    engine = engine_of(LEAKY)
    engine.inspect_backend()
    runs = [[(each["ran"], each["before"]) for each in states(engine, 10)] for _ in range(2)]
    assert runs[0] == runs[1] == [(n + 1, str(n - 1) if n else None) for n in range(10)]


def test_something_else_ran_before_each_episode_in_each_attempt(engine_of):
    engine = engine_of(LEAKY)
    first, second = (states(engine, 700, attempt) for attempt in (1, 2))
    alike = [n for n, (one, other) in enumerate(zip(first, second, strict=True)) if one["before"] == other["before"]]
    assert alike == []


def test_a_stream_that_ends_at_a_border_starts_no_further_worker(engine_of):
    engine = engine_of(backend(top="print('x')"))
    assert len(list(engine.run(numbered(512)))) == 512
    assert [each.role for each in engine.output] == ["backend"]


def test_nothing_is_left_when_a_large_run_is_dropped_in_the_middle(engine_of):
    evidence = engine_of(LEAKY).run(numbered(5000), attempt=2)
    for _ in range(2500):
        next(evidence)
    evidence.close()
