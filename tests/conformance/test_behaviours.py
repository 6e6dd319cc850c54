"""The table of pinned behaviours is complete, and what it names is there."""

from __future__ import annotations

import ast
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
import yaml

from tests.conformance.checks import CASES, all_checks
from tests.conformance.deviations import LATER

TESTS = Path(__file__).parents[1]
TABLE = yaml.safe_load((Path(__file__).parent / "behaviours.yaml").read_text(encoding="utf-8"))
BEHAVIOURS = TABLE["behaviours"]

# The contract numbers its behaviours by area, from 1 on, and leaves three numbers out.
LAST = {
    **{"LOAD": 33, "BIND": 35, "PLAN": 31, "TRACE": 22, "REND": 21, "SCH": 29, "REPL": 6, "VAL": 27},
    **{"ISO": 17, "SCAF": 8, "RES": 15, "HELD": 23, "PUB": 21, "DUP": 8, "PARA": 7},
}
LEFT_OUT = {"PLAN-07", "REND-20", "SCAF-04"}
TOTALS = {"shown": 216, "ruled otherwise": 27, "later": 57}


@cache
def names_in(file):
    """Return the names of a file's tests; those of a class with its name before them."""
    found = set()
    for node in ast.parse((TESTS / file).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}::{each.name}" for each in node.body if isinstance(each, ast.FunctionDef)}
        elif isinstance(node, ast.FunctionDef):
            found.add(node.name)
    return found


@cache
def rows_of_cases():
    """Return case id -> the behaviours that it shows."""
    cases = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in CASES.glob("*.yaml")]
    return {case["id"]: case["rows"] for case in cases}


def kind_of(entry):
    return "later" if "later" in entry else "ruled otherwise" if "ruled" in entry else "shown"


def is_shown(source, behaviour):
    """Say whether a test is there, or whether a case shows the behaviour in a check that is driven."""
    file, _, name = source.partition("::")
    if name:
        return name in names_in(file)
    driven = [check for check in all_checks() if check.name.startswith(f"{source} ") and check.name not in LATER]
    return bool(driven) and behaviour in rows_of_cases()[source]


def test_every_behaviour_of_the_contract_is_in_the_table():
    pinned = {f"{area}-{number:02}" for area, last in LAST.items() for number in range(1, last + 1)} - LEFT_OUT
    assert len(pinned) == 300
    assert BEHAVIOURS.keys() == pinned


def test_the_totals():
    assert Counter(map(kind_of, BEHAVIOURS.values())) == TOTALS


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
def test_what_the_table_says_of_a_behaviour_is_so(behaviour):
    entry = BEHAVIOURS[behaviour]
    assert entry.keys() <= {"shown", "ruled", "why", "later"}
    assert ("ruled" in entry) == ("why" in entry)
    assert "shown" in entry or "later" in entry
    assert entry.get("later") in (None, *TABLE["reasons"])
    assert [source for source in entry.get("shown", ()) if not is_shown(source, behaviour)] == []


def test_cases_that_are_driven_are_named_by_the_behaviours_that_they_show():
    driven = {check.name.split()[0] for check in all_checks() if check.name not in LATER}
    unnamed = [
        (case, behaviour)
        for case in driven
        for behaviour in rows_of_cases()[case]
        if kind_of(BEHAVIOURS[behaviour]) != "later" and case not in BEHAVIOURS[behaviour]["shown"]
    ]
    assert unnamed == []
