"""Every declared code is shown by a test, and only declared codes are ever emitted.

Three parts make this hold:

* `witnesses.yaml` names for each code one test that makes assay emit it and asserts file, line and column. The tests
  below hold that table against the registry and against the test files, without running anything.
* `tests/support/emissions.py` watches each of those tests while it runs: it fails unless assay emitted the code.
* The same watch fails any test during which a finding was made whose code is not declared.
"""

import ast
from collections import Counter
from pathlib import Path

import pytest

import assay
from assay.findings import REGISTRY, Finding, Place, Severity
from tests.support.emissions import EmissionWatch, Witness, read_witnesses
from tests.support.node_ids import function_named, texts_of

CORE = Path(assay.__file__).parent
WITNESSES = read_witnesses()


def test_every_code_has_exactly_one_witness():
    times = Counter(code for witness in WITNESSES for code in witness.codes)
    assert sorted(times) == sorted(REGISTRY)
    assert [code for code, count in times.items() if count > 1] == []


@pytest.mark.parametrize("witness", WITNESSES, ids=[each.node_id.removeprefix("tests/") for each in WITNESSES])
def test_a_witness_is_a_test_that_names_its_codes_and_looks_at_the_place(witness):
    function = function_named(witness.node_id)
    assert function is not None, "there is no such test"
    assert [code for code in witness.codes if code not in texts_of(witness.node_id)] == []
    asserts = [ast.unparse(node) for node in ast.walk(function) if isinstance(node, ast.Assert)]
    assert any("place" in each or "told(" in each for each in asserts), "it asserts no place"


def test_findings_are_made_in_one_place_alone():
    """`finding()` refuses undeclared codes; what is read back from a table was made by it before."""
    makers = {
        path.relative_to(CORE).as_posix()
        for path in CORE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Finding"
    }
    assert makers == {"findings/registry.py", "artifacts/codec/findings.py"}


# The watch itself


class Item:
    """As much of a pytest item as the watch looks at."""

    def __init__(self, function, node_id="tests/x.py::test_x[1]"):
        self.function = function
        self.nodeid = node_id


def watched(made, *, placed):
    """Let the watch see findings being made in a test that is to show `raised`; return what it says."""

    def test_x():
        return "raised"

    watch = EmissionWatch(witnesses={"tests/x.py::test_x": [Witness("tests/x.py::test_x", ("raised",), placed)]})
    running = watch.pytest_runtest_call(Item(test_x))
    next(running)
    watch.made.extend(made)
    try:
        next(running)
    except AssertionError as failure:
        return str(failure)
    except StopIteration:
        return None
    raise AssertionError("the watch yields once")


@pytest.mark.parametrize(
    ("made", "placed", "told"),
    [
        ([("raised", Place("a.py", 1, 1))], True, None),
        ([("raised", None), ("raised", Place("a.py", 1, 1))], True, None),
        ([("raised", None)], False, None),
        ([], True, "does not"),
        ([("worker_died", Place("a.py", 1, 1))], True, "does not"),
        ([("raised", None)], True, "is placed here"),
        ([("raised", Place("a.py", 1, 1))], False, "is not placed here"),
        ([("raised", Place("a.py", 1, 1)), ("raised_again", None)], True, "not declared"),
        ([("unknown_source_kind:ledger", None), ("raised", Place("a.py", 1, 1))], True, None),
    ],
)
def test_the_watch_asks_for_what_a_test_is_named_for(made, placed, told):
    said = watched(made, placed=placed)
    assert said is None if told is None else told in said


def test_the_watch_notes_findings_of_the_running_test(request):
    watch = request.config.pluginmanager.get_plugin("emission-watch")
    Finding(code="raised", severity=Severity.ERROR, message="m", fix="f", place=Place("b.py", 2, 3))
    assert watch.made == [("raised", Place("b.py", 2, 3))]
