"""The two attempts differ in what a backend must not depend on, and in nothing else (ruling 29)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.oracle import conditions
from assay.oracle.engine import Variation
from assay.oracle.evidence import GetState, Reset
from tests.oracle.running import backend, call, episode, run_one

PROBE = backend(
    """
    return {
        "hash": hash("text"),
        "set": list({"apple", "pear", "plum", "quince", "fig", "date", "kiwi", "lime"}),
        "local": time.localtime(ctx.clock.timestamp()).tm_mday,
        "offset": time.localtime().tm_gmtoff,
        "locale": os.environ["LC_ALL"],
        "folder": os.getcwd(),
        "temporary": tempfile.gettempdir(),
        "environment": sorted(os.environ),
        "randomised": sys.flags.hash_randomization,
    }
    """,
    top="import os, sys, tempfile, time",
)


def observe(engine, attempt):
    return run_one(engine, Reset(), call(), attempt=attempt).results[1]


def test_attempt_1_is_fixed_and_documented(engine_of):
    seen = observe(engine_of(PROBE), 1)
    assert seen["randomised"] == 0
    assert seen["offset"] == -12 * 3600
    assert seen["locale"] == "C.UTF-8"
    assert seen == observe(engine_of(PROBE), 1)


def test_attempt_2_is_fixed_too_and_differs_in_each_of_them(engine_of):
    first, second = (observe(engine_of(PROBE), attempt) for attempt in (1, 2))
    assert second["randomised"] == 1
    assert second["offset"] == 14 * 3600
    for name in ("hash", "set", "local", "offset", "locale", "folder", "temporary"):
        assert first[name] != second[name], name
    assert sorted(first["set"]) == sorted(second["set"])
    assert second == observe(engine_of(PROBE), 2)


def test_the_working_folder_is_the_temporary_folder_and_steady(engine_of):
    seen = observe(engine_of(PROBE), 1)
    assert seen["folder"] == seen["temporary"]
    assert seen["folder"].endswith("/a")


def test_the_locale_of_attempt_2_is_one_that_is_installed(engine_of):
    engine = engine_of(backend("import locale\nreturn {'locale': locale.setlocale(locale.LC_ALL, '')}"))
    assert run_one(engine, Reset(), call(), attempt=2).completed


class TestOneThingAtATime:
    def alone(self, engine, **varied):
        return engine.run_alone(episode(Reset(), call()), Variation(**varied)).results[1]

    def test_hash_seed(self, engine_of):
        engine = engine_of(PROBE)
        first, second, varied = observe(engine, 1), observe(engine, 2), self.alone(engine, hash_seed=True)
        assert varied == first | {name: second[name] for name in ("hash", "set", "randomised")}

    def test_surroundings(self, engine_of):
        engine = engine_of(PROBE)
        first, second, varied = observe(engine, 1), observe(engine, 2), self.alone(engine, ambient=True)
        assert varied == second | {name: first[name] for name in ("hash", "set", "randomised")}

    def test_nothing(self, engine_of):
        engine = engine_of(PROBE)
        assert self.alone(engine) == observe(engine, 1)

    def test_it_runs_in_a_worker_of_its_own(self, engine_of):
        engine = engine_of(backend(top="runs = []", reset="runs.append(1)", state="return runs"))
        evidence = engine.run([episode(Reset(), GetState())] * 70)
        next(evidence)
        for _ in range(2):
            assert engine.run_alone(episode(Reset(), GetState()), Variation()).results[1] == [1]
        assert [each.results[1] for each in evidence] == [[1] * number for number in range(2, 71)]


def test_there_are_conditions_for_two_attempts():
    assert replace(conditions.of_attempt(1), clock_held=True) == conditions.varied(hash_seed=False, ambient=False)
    assert replace(conditions.of_attempt(2), clock_held=True) == conditions.varied(hash_seed=True, ambient=True)
    with pytest.raises(ValueError, match="no attempt 3"):
        conditions.of_attempt(3)
