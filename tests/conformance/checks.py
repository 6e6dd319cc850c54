"""The contract's cases, as checks that a driver asks for by kind.

`cases/*.yaml` are unchanged copies of the contract's files; how to read them stands in `cases/README.md`. A driver is a
test that turns what a check gives into calls of ours, and what comes back into the words of its expectation:

    @drives("filter")
    def test_filter(given, expect): ...

`drives` leaves out what waits for a later issue and puts our ruled expectation in place of the case's (see
`deviations.py`). What it hands out is noted, so that `test_completeness.py` can tell whether anything was left lying.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.conformance.deviations import LATER, RULED_OTHERWISE

if TYPE_CHECKING:
    from collections.abc import Mapping

CASES = Path(__file__).parent / "cases"

DRIVEN: set[str] = set()
"""Names of the checks that drivers have taken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One check of one case file.

    Attributes:
        name: `<case id> <label>`; it names the check in tables and in pytest's ids.
        given: the case's `given` with the check's `input` over it, key by key.
        expect: as the case says it.
    """

    name: str
    kind: str
    given: Mapping[str, Any]
    expect: Mapping[str, Any]


@cache
def all_checks() -> tuple[Check, ...]:
    """Return every check of every case file, in file order."""
    cases = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in sorted(CASES.glob("*.yaml"))]
    return tuple(
        Check(
            name=f"{case['id']} {check['label']}",
            kind=case["kind"],
            given=case.get("given", {}) | check.get("input", {}),
            expect=check["expect"],
        )
        for case in cases
        for check in case["checks"]
    )


def drives(*kinds: str) -> pytest.MarkDecorator:
    """Run a test on every check of these kinds, as `given` and `expect`."""
    checks = [check for check in all_checks() if check.kind in kinds and check.name not in LATER]
    assert {check.kind for check in checks} == set(kinds)
    DRIVEN.update(check.name for check in checks)
    return pytest.mark.parametrize(
        ("given", "expect"), [pytest.param(check.given, _expected(check), id=check.name) for check in checks]
    )


def _expected(check: Check) -> Mapping[str, Any]:
    ruled = RULED_OTHERWISE.get(check.name)
    return check.expect if ruled is None else ruled.expect
