import time

import pytest

from assay.findings.spelling import did_you_mean, near_miss

KNOWN = ("success_assertions", "slots", "slot", "required_tools", "x-mutates")


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("suceess_assertions", "success_assertions"),
        ("Success-Assertions", "success_assertions"),
        (" slots ", "slots"),
        ("slts", "slots"),
        ("x_mutates", "x-mutates"),
        ("SLOT", "slot"),
        ("reviewer", None),
        ("", None),
        ("s" * 101, None),
    ],
)
def test_near_misses(name, meant):
    assert near_miss(name, KNOWN) == meant


def test_a_sentence_for_messages():
    assert did_you_mean("slts", KNOWN) == " Did you mean `slots`?"
    assert did_you_mean("zebra", KNOWN) == ""
    assert did_you_mean("zebra", ()) == ""


def test_long_names_cost_nothing():
    started = time.process_time()
    near_miss("x" * 10**6, KNOWN)
    assert time.process_time() - started < 0.1
