"""Attempt 2 reads another wall clock; whoever takes the time from `ctx` alone never notices."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.oracle import conditions
from assay.oracle.engine import Variation
from assay.oracle.evidence import Reset
from tests.oracle.running import backend, call, episode, run_one

SHIFT = timedelta(seconds=conditions.SECOND.clock_shift_s)
TOP = """
import copy, datetime, logging, pickle, time
from datetime import date, datetime as moment, timedelta, timezone

class Stamp(moment):
    pass

class Clocked:
    clock = time.time
    now = moment.now

    def read(self):
        return self.clock(), self.now()
"""


def answers(engine_of, expression, *, top=TOP):
    """Return what an expression gives under attempt 1 and attempt 2."""
    engine = engine_of(backend(f"return {{'value': {expression}}}", top=top))
    evidence = [run_one(engine, Reset(), call(), attempt=attempt) for attempt in (1, 2)]
    assert all(each.completed for each in evidence), evidence
    return [each.results[1]["value"] for each in evidence]


# Everything by which Python code reads the wall clock, as seconds since 1970.
READINGS = {
    "time": "time.time()",
    "time_ns": "time.time_ns() / 1e9",
    "clock_gettime": "time.clock_gettime(time.CLOCK_REALTIME)",
    "clock_gettime_ns": "time.clock_gettime_ns(time.CLOCK_REALTIME) / 1e9",
    "localtime": "time.mktime(time.localtime())",
    "localtime of nothing": "time.mktime(time.localtime(None))",
    "gmtime": "time.mktime(time.gmtime()) - time.timezone",
    "ctime": "time.mktime(time.strptime(time.ctime()))",
    "asctime": "time.mktime(time.strptime(time.asctime()))",
    "strftime": "float(time.strftime('%s'))",
    "now": "moment.now().timestamp()",
    "now in a zone": "moment.now(timezone.utc).timestamp()",
    "now in a named zone": "moment.now(tz=timezone(timedelta(hours=5))).timestamp()",
    "utcnow": "moment.utcnow().replace(tzinfo=timezone.utc).timestamp()",
    "today": "moment.today().timestamp()",
    "of a subclass": "Stamp.now().timestamp()",
    "through a class": "Clocked().read()[0]",
    "now through a class": "Clocked().read()[1].timestamp()",
    "log record": "logging.makeLogRecord({}).created",
    "bound before": "READ()",
}


@pytest.mark.parametrize("name", READINGS)
def test_every_reading_is_shifted_under_attempt_2_and_true_under_attempt_1(engine_of, name):
    first, second = answers(engine_of, READINGS[name], top=f"{TOP}\nREAD = time.time")
    assert first == pytest.approx(time.time(), abs=60)
    assert second == pytest.approx(time.time() + SHIFT.total_seconds(), abs=60)


def test_the_date_is_another(engine_of):
    first, second = answers(engine_of, "date.today().isoformat()")
    assert timedelta(days=402) < datetime.fromisoformat(second) - datetime.fromisoformat(first) < timedelta(days=407)


@given(st.datetimes(datetime(2020, 1, 1), datetime(2090, 1, 1), timezones=st.just(UTC)))  # noqa: DTZ001
def test_the_two_clocks_share_no_part_of_a_date_or_time(moment):
    one, other = moment.timetuple()[:7], (moment + SHIFT).timetuple()[:7]
    assert all(left != right for left, right in zip(one, other, strict=True))


# What a well-behaved backend does with times; none of it may differ between the attempts.
WELL_BEHAVED = {
    "clock of the run": "ctx.clock.isoformat()",
    "same type": "[type(ctx.clock) is moment, type(ctx.clock) is datetime.datetime, isinstance(ctx.clock, moment)]",
    "subclass of date": "[isinstance(ctx.clock, date), issubclass(moment, date), moment.__mro__[1] is date]",
    "arithmetic": "(ctx.clock + timedelta(days=3) - moment(2026, 1, 1, tzinfo=timezone.utc)).total_seconds()",
    "type of a sum": "type(ctx.clock + timedelta(1)) is moment",
    "parsed": "[moment.fromisoformat('2026-01-01') < moment(2027, 1, 1), type(moment.strptime('7', '%d')) is moment]",
    "combined": "type(moment.combine(date(2026, 1, 1), ctx.clock.timetz())) is moment",
    "printed": "[repr(ctx.clock), str(ctx.clock), repr(moment), moment.__module__, moment.__qualname__]",
    "copied": "[copy.deepcopy(ctx.clock) == ctx.clock, pickle.loads(pickle.dumps(ctx.clock)) == ctx.clock]",
    "pickled class": "pickle.loads(pickle.dumps(moment)) is moment",
    "pickled function": "[pickle.loads(pickle.dumps(time.time)) is time.time, copy.deepcopy(time.time) is time.time]",
    "printed function": "[repr(time.time), time.time.__name__, time.time.__module__, callable(time.localtime)]",
    "a given time": "[time.gmtime(0)[:6], time.strftime('%Y', (2001, *[1] * 8)), time.asctime((2001, *[1] * 8))]",
    "a given local time": "time.localtime(86400 * 200).tm_year == int(time.ctime(86400 * 200)[-4:])",
    "from a timestamp": "moment.fromtimestamp(0, timezone.utc).isoformat()",
    "subclass": "[type(Stamp.now()).__name__, isinstance(Stamp.now(), Stamp), Stamp.now().tzinfo]",
    "with and without a zone": "[moment.now().tzinfo, str(moment.now(timezone.utc).tzinfo), moment.utcnow().tzinfo]",
    "monotonic": "time.monotonic() < 1e7 or True",
    "it goes on": "time.time() <= time.time() and moment.now() <= moment.now()",
    "it is one clock": "abs(time.time() - moment.now().timestamp()) < 5",
    "converter of logging": "logging.Formatter().converter(0)[0] in (1969, 1970)",
}


@pytest.mark.parametrize("name", WELL_BEHAVED)
def test_what_does_not_read_the_clock_is_the_same_in_both_attempts(engine_of, name):
    first, second = answers(engine_of, WELL_BEHAVED[name])
    assert first == second


def test_a_time_zone_that_is_none_is_refused_alike(engine_of):
    engine = engine_of(backend("return {'value': str(moment.now('x'))}", top=TOP))
    first, second = (run_one(engine, Reset(), call(), attempt=attempt).failure for attempt in (1, 2))
    assert first is not None
    assert first == second


def test_assertions_of_attempt_2_read_it_too(engine_of):
    from tests.oracle.running import judge_one

    text = "import time\ndef assert_it(*, state, trace, task, ctx):\n    assert False, str(time.time())\n"
    engine = engine_of({"assertions.py": text})
    first, second = (float(judge_one(engine, "assert_it", attempt=attempt)[0].detail) for attempt in (1, 2))
    assert second - first == pytest.approx(SHIFT.total_seconds(), abs=60)


class TestHeld:
    """A run that looks for a cause sees a clock that moves on by being read."""

    def alone(self, engine_of, expression, **varied):
        engine = engine_of(backend(f"return {{'value': {expression}}}", top=TOP))
        return engine.run_alone(episode(Reset(), call()), Variation(**varied)).results[1]["value"]

    def test_two_runs_read_the_same_times(self, engine_of):
        expression = "[time.time_ns(), moment.now().isoformat(), time.ctime(), date.today().isoformat()]"
        assert self.alone(engine_of, expression) == self.alone(engine_of, expression)

    def test_it_moves_on_so_that_who_waits_for_it_does_not_wait_for_ever(self, engine_of):
        code = "until = time.time() + 2\nwhile time.time() < until: pass\nreturn {'value': True}"
        engine = engine_of(backend(code, top=TOP))
        assert engine.run_alone(episode(Reset(), call()), Variation()).completed

    def test_the_surroundings_of_attempt_2_shift_it(self, engine_of):
        still, shifted = (self.alone(engine_of, "time.time_ns()", ambient=ambient) for ambient in (False, True))
        assert shifted - still == SHIFT.total_seconds() * 10**9
