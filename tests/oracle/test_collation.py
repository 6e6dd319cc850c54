"""Without a foreign locale, texts sort otherwise under attempt 2 once the locale of the environment is asked for."""

from __future__ import annotations

import locale

import pytest

from assay.oracle import conditions
from assay.oracle.evidence import Reset
from tests.oracle.running import backend, call, run_one

WORDS = "['b', 'B', 'a', 'C', 'zebra', 'Zoo']"


def is_installed(name):
    before = locale.setlocale(locale.LC_CTYPE)
    try:
        locale.setlocale(locale.LC_CTYPE, name)
    except locale.Error:
        return False
    locale.setlocale(locale.LC_CTYPE, before)
    return True


def both(engine_of, code):
    engine = engine_of(backend(code, top="import functools, locale"))
    evidence = [run_one(engine, Reset(), call(), attempt=attempt) for attempt in (1, 2)]
    assert all(each.completed for each in evidence), evidence
    return [each.results[1]["value"] for each in evidence]


SORTED = {
    "strxfrm": f"sorted({WORDS}, key=locale.strxfrm)",
    "strcoll": f"sorted({WORDS}, key=functools.cmp_to_key(locale.strcoll))",
}


@pytest.mark.parametrize("name", SORTED)
def test_who_sorts_by_the_locale_of_the_environment_sees_another_order(engine_of, name):
    first, second = both(engine_of, f"locale.setlocale(locale.LC_ALL, '')\nreturn {{'value': {SORTED[name]}}}")
    assert first == ["B", "C", "Zoo", "a", "b", "zebra"]
    assert [each.lower() for each in second] == ["a", "b", "b", "c", "zebra", "zoo"]


@pytest.mark.parametrize("name", SORTED)
@pytest.mark.parametrize("asked", ["", "locale.setlocale(locale.LC_ALL, 'C')", "locale.setlocale(locale.LC_CTYPE, '')"])
def test_who_does_not_ask_for_it_sees_none(engine_of, name, asked):
    first, second = both(engine_of, f"{asked}\nreturn {{'value': {SORTED[name]}}}")
    assert first == second == ["B", "C", "Zoo", "a", "b", "zebra"]


def test_going_back_to_c_ends_it(engine_of):
    code = "locale.setlocale(locale.LC_ALL, '')\nlocale.setlocale(locale.LC_COLLATE, 'C')\n"
    first, second = both(engine_of, f"{code}return {{'value': {SORTED['strxfrm']}}}")
    assert first == second


@pytest.mark.skipif(any(map(is_installed, conditions.SECOND.locales)), reason="a real foreign locale is installed")
def test_texts_that_c_cannot_compare_fail_as_they_did(engine_of):
    engine = engine_of(backend("locale.setlocale(locale.LC_ALL, '')\nlocale.strxfrm('a\\0')", top="import locale"))
    first, second = (run_one(engine, Reset(), call(), attempt=attempt).failure for attempt in (1, 2))
    assert first == second
    assert "null character" in first.message
