"""Holds tests to what `tests/findings/witnesses.yaml` says of them: that they make assay emit certain codes.

Completeness of that table is a static matter (`tests/findings/test_every_code_is_emitted.py`). That a test named there
really brings its codes about is watched here, while the test runs: it fails when it does not. So the check needs no
results of other tests, and holds in any order, in any number of processes, and for any selection of tests.

What subprocesses find is not seen; a witness makes its finding in the test's own process.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from assay.findings import Finding, code_named

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import CodeType

    from assay.findings import Place

WITNESSES = Path(__file__).parents[1] / "findings" / "witnesses.yaml"


@dataclass(frozen=True, slots=True)
class Witness:
    """A test that shows codes.

    Attributes:
        node_id: the test function, without parameters.
        codes: names of declared codes.
        placed: whether their findings stand somewhere in the pack; they must not, otherwise.
    """

    node_id: str
    codes: tuple[str, ...]
    placed: bool


def read_witnesses() -> tuple[Witness, ...]:
    """Return the table."""
    table = yaml.safe_load(WITNESSES.read_text(encoding="utf-8"))
    return tuple(
        Witness(node_id, tuple(codes), section == "placed")
        for section, tests in table.items()
        for node_id, codes in tests.items()
    )


@dataclass(eq=False)
class EmissionWatch:
    """A pytest plugin that notes every finding which the running test makes, and asks witnesses for theirs."""

    made: list[tuple[str, Place | None]] = field(default_factory=list)
    witnesses: dict[str, list[Witness]] = field(default_factory=dict)

    def pytest_configure(self) -> None:
        """Read the table and begin to listen."""
        for each in read_witnesses():
            self.witnesses.setdefault(each.node_id, []).append(each)
        make = Finding.__init__

        @wraps(make)
        def make_and_note(finding: Finding, *args: Any, **facts: Any) -> None:
            make(finding, *args, **facts)
            self.made.append((finding.code, finding.place))

        Finding.__init__ = make_and_note  # type: ignore[method-assign]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        """Fail a test that has passed but did not make what it is named for, or made what is not declared."""
        self.made.clear()
        result = yield
        undeclared = sorted({code for code, _ in self.made if not _is_declared(code)})
        assert not undeclared, f"codes that are not declared in assay/findings/codes: {undeclared}"
        for witness in self.witnesses.get(item.nodeid.partition("[")[0], ()):
            for code in witness.codes:
                if _is_due(code, item):
                    self._require(code, placed=witness.placed)
        return result

    def _require(self, code: str, *, placed: bool) -> None:
        places = [place for made, place in self.made if code_named(made).name == code]
        assert places, f"{WITNESSES.name} says that this test makes assay emit {code!r}, but it does not"
        wrong = [place for place in places if (place is not None) is not placed]
        assert len(wrong) < len(places), f"{WITNESSES.name} says that {code!r} is {'' if placed else 'not '}placed here"


def _is_declared(code: str) -> bool:
    try:
        return bool(code_named(code))
    except KeyError:
        return False


def _is_due(code: str, item: pytest.Item) -> bool:
    """Say whether this run of a test is about a code: its parameters name it, or no code at all and its body does."""
    callspec = getattr(item, "callspec", None)
    values = () if callspec is None else callspec.params.values()
    named = [value for value in values if isinstance(value, str) and _is_declared(value)]
    return code in (named or _texts_in(item.function.__code__))  # type: ignore[attr-defined]


def _texts_in(body: CodeType) -> set[Any]:
    """Return the constants of a function, and of the functions in it."""
    found: set[Any] = set()
    waiting: list[Any] = [*body.co_consts]
    while waiting:
        each = waiting.pop()
        if isinstance(each, (tuple, frozenset)):
            waiting.extend(each)
        elif hasattr(each, "co_consts"):
            waiting.extend(each.co_consts)
        elif isinstance(each, str):
            found.add(each)
    return found
