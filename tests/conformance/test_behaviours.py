"""The table of pinned behaviours is complete, what it names is there, and its page is up to date."""

from __future__ import annotations

import importlib.util
from collections import Counter
from functools import cache

import pytest
import yaml

from tests.conformance.checks import CASES, all_checks
from tests.conformance.deviations import LATER
from tests.support.node_ids import ROOT, function_named

TABLE = yaml.safe_load((ROOT / "tests" / "conformance" / "behaviours.yaml").read_text(encoding="utf-8"))
BEHAVIOURS = TABLE["behaviours"]

# The contract numbers its behaviours by area, from 1 on, and leaves three numbers out.
LAST = {
    **{"LOAD": 33, "BIND": 35, "PLAN": 31, "TRACE": 22, "REND": 21, "SCH": 29, "REPL": 6, "VAL": 27},
    **{"ISO": 17, "SCAF": 8, "RES": 15, "HELD": 23, "PUB": 21, "DUP": 8, "PARA": 7},
}
LEFT_OUT = {"PLAN-07", "REND-20", "SCAF-04"}
TOTALS = {"shown": 224, "ruled otherwise": 23, "later": 53}
STARRED = {"shown": 87, "ruled otherwise": 8, "later": 17}


@cache
def generator():
    """Return `docs/generate.py` as a module."""
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def rows_of_cases():
    """Return case id -> the behaviours that it shows."""
    cases = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in CASES.glob("*.yaml")]
    return {case["id"]: case["rows"] for case in cases}


def kinds(entries):
    return Counter(map(generator().kind_of, entries))


def is_shown(source, behaviour):
    """Say whether a test is there, or whether a case shows the behaviour in a check that is driven."""
    if "::" in source:
        return function_named(f"tests/{source}") is not None
    driven = [check for check in all_checks() if check.name.startswith(f"{source} ") and check.name not in LATER]
    return bool(driven) and behaviour in rows_of_cases()[source]


def test_every_behaviour_of_the_contract_is_in_the_table():
    pinned = {f"{area}-{number:02}" for area, last in LAST.items() for number in range(1, last + 1)} - LEFT_OUT
    assert len(pinned) == 300
    assert BEHAVIOURS.keys() == pinned


def test_the_totals():
    assert kinds(BEHAVIOURS.values()) == TOTALS
    assert kinds(entry for entry in BEHAVIOURS.values() if entry.get("star")) == STARRED
    assert sum(STARRED.values()) == 112


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
def test_what_the_table_says_of_a_behaviour_is_so(behaviour):
    entry = BEHAVIOURS[behaviour]
    assert entry.keys() <= {"about", "star", "shown", "ruled", "why", "later"}
    assert entry["about"]
    assert ("ruled" in entry) == ("why" in entry)
    assert not ("ruled" in entry and "later" in entry)
    assert "shown" in entry or "later" in entry
    assert entry.get("later") in (None, *TABLE["reasons"])
    assert [source for source in entry.get("shown", ()) if not is_shown(source, behaviour)] == []


def test_cases_that_are_driven_are_named_by_the_behaviours_that_they_show():
    driven = {check.name.split()[0] for check in all_checks() if check.name not in LATER}
    unnamed = [
        (case, behaviour)
        for case in driven
        for behaviour in rows_of_cases()[case]
        if "later" not in BEHAVIOURS[behaviour] and case not in BEHAVIOURS[behaviour]["shown"]
    ]
    assert unnamed == []


def test_the_page_is_what_the_table_makes_of_it():
    page = (ROOT / "docs" / "behaviours.md").read_text(encoding="utf-8")
    assert page == generator().behaviours_page(), "run `make docs`"
