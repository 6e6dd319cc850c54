import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assay.schema.patterns import MATCH_SECONDS, matches, pattern_fault


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("^ACC-[0-9]+$", "ACC-12", True),
        ("^ACC-[0-9]+$", "xACC-12", False),
        ("[0-9]", "a1b", True),
        (r"^\d{4}-\d{2}$", "2026-03", True),
        (r"^\w+$", "Đà", True),
        ("", "anything", True),
        ("^[a-z]+(-[a-z]+)*$", "one-two-three", True),
        ("^[A-Z0-9]{5}(-[A-Z0-9]{5}){4}$", "AAAAA-BBBBB-CCCCC-DDDDD-EEEEE", True),
        ("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "x", False),
    ],
)
def test_patterns_are_searched_not_anchored(pattern, text, found):
    assert pattern_fault(pattern) is None
    assert matches(pattern, text) is found


@pytest.mark.parametrize("pattern", ["(", "[", "*", "a{2,1}", "(?P<n>a)(?P<n>b)", "\\p{L}", "a{1,4294967295}", "(?L)a"])
def test_what_python_cannot_compile_is_a_fault(pattern):
    assert pattern_fault(pattern)
    assert matches(pattern, "a") is None


def test_a_pattern_nested_beyond_the_stack_is_a_fault():
    assert pattern_fault("(" * 50_000 + ")" * 50_000)


@pytest.mark.parametrize("pattern", ["(?:(?:(?:a{999}){999}){999}){999}", "((a{100}){100}){100}", "a{900000}"])
def test_repetitions_that_would_fill_the_memory_are_a_fault_at_once(pattern):
    started = time.monotonic()
    assert "100000" in pattern_fault(pattern)
    assert time.monotonic() - started < 1


def test_a_pattern_that_backtracks_without_end_is_given_up_and_not_tried_again():
    pattern, text = "^(?:a|aa)+$", "a" * 80 + "b"
    started = time.monotonic()
    assert matches(pattern, text) is None
    assert time.monotonic() - started < 20 * MATCH_SECONDS
    started = time.monotonic()
    assert matches(pattern, text) is None
    assert time.monotonic() - started < MATCH_SECONDS


@given(st.text(max_size=12), st.text(max_size=6))
@example("[[a]]", "a")
@example("a--b", "a")
@example("(?i:x)", "X")
@example("a{e<=1}", "b")
@example("\ud800", "\ud800")
def test_no_pattern_raises(pattern, text):
    fault = pattern_fault(pattern)
    assert fault is None or fault
    assert matches(pattern, text) in (True, False, None)
