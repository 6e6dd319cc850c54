"""Nothing of the contract's cases is left lying, and the tables say nothing that is not so."""

from __future__ import annotations

import importlib
import pkgutil

import pytest

import tests.conformance
from tests.conformance.checks import CASES, DRIVEN, all_checks
from tests.conformance.deviations import LATER, RULED_OTHERWISE
from tests.conformance.errors import ERRORS


@pytest.fixture(scope="module", autouse=True)
def every_driver():
    for module in pkgutil.iter_modules(tests.conformance.__path__):
        importlib.import_module(f"tests.conformance.{module.name}")


def names():
    return [check.name for check in all_checks()]


def test_every_case_of_the_contract_is_here():
    assert len([*CASES.glob("*.yaml")]) == 38
    assert len(names()) == len(set(names())) == 133


def test_every_check_is_driven_or_left_for_later_and_never_both():
    assert sorted([*DRIVEN, *LATER]) == sorted(names())


def test_what_is_ruled_otherwise_is_driven_and_really_otherwise():
    expected = {check.name: check.expect for check in all_checks()}
    assert RULED_OTHERWISE.keys() <= DRIVEN
    for name, ruled in RULED_OTHERWISE.items():
        assert ruled.expect != expected[name], name


@pytest.mark.parametrize("told", [*RULED_OTHERWISE.values(), *LATER.values()], ids=[*RULED_OTHERWISE, *LATER])
def test_every_deviation_says_why(told):
    reason = told if isinstance(told, str) else told.reason
    assert reason.endswith(".")
    assert isinstance(told, str) or told.source


def test_errors_are_translated_exactly_as_far_as_they_are_driven():
    errors = [
        check.expect["error"]
        for check in all_checks()
        if "error" in check.expect and check.name in DRIVEN and check.name not in RULED_OTHERWISE
    ]
    assert {(error["class"], error["about"]) for error in errors} == ERRORS.keys()
