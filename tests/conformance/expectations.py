"""Holding what came of a check against what the case expects: all of it, exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.conformance.errors import ERRORS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from assay.findings import Finding


def assert_expected(told: Mapping[str, Any], expect: Mapping[str, Any]) -> None:
    """Assert every fact that is expected; one that nobody told is a fault of the driver.

    `<fact>_include` and `<fact>_exactly` compare `<fact>` without its order, as `cases/README.md` has it.
    """
    for fact, wanted in expect.items():
        name, _, rule = fact.rpartition("_")
        if rule == "include":
            assert set(wanted) <= set(told[name]), fact
        elif rule == "exactly":
            assert sorted(told[name]) == sorted(wanted), fact
        else:
            assert told[fact] == wanted, fact


def assert_error(findings: Iterable[Finding], error: Mapping[str, Any]) -> None:
    """Assert that exactly one finding of severity error says what the reference's exception says."""
    ours = ERRORS[error["class"], error["about"]]
    errors = [each for each in findings if each.is_error]
    matching = [each for each in errors if each.code == ours.code and ours.words in each.message]
    assert len(matching) == 1, [(each.code, each.message) for each in errors]
    assert_mentions(matching[0].message, error)


def assert_mentions(message: str, error: Mapping[str, Any]) -> None:
    """Assert that a message names what the case wants named; `must_not: hang` is met by being here."""
    assert error.keys() <= {"class", "about", "mentions", "must_not"}
    assert error.get("must_not") in (None, "hang")
    for mention in error.get("mentions", ()):
        assert mention in message
