import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.stages.held_out import (
    HeldOutContract,
    HeldOutLeakError,
    HeldOutLedger,
    binding_report,
    verify_binding_report,
)
from assay.values import indented_json

A, B = '["lamps","LMP-8"]', '["lamps","LMP-9"]'
CONTRACT = HeldOutContract(version="1", fixture_refs=(A, B), template_ids=("lamp_lit", "lamp_relit"), seed=11)
LEDGER = HeldOutLedger(
    bind_attempts=5, blocked_templates=("lamp_relit",), blocked_fixture_refs=(A, B), tasks_expanded=3
)
REPORT = binding_report(CONTRACT, LEDGER)


def verify(report, expanded=3):
    return verify_binding_report(json.dumps(report), CONTRACT, expanded)


def changed(*path, to):
    """Return the report with one value replaced."""
    report = json.loads(json.dumps(REPORT))
    parent = report
    for step in path[:-1]:
        parent = parent[step]
    parent[path[-1]] = to
    return report


def without(*path):
    report = changed(*path, to=None)
    parent = report
    for step in path[:-1]:
        parent = parent[step]
    del parent[path[-1]]
    return report


def test_the_report():
    report = binding_report(CONTRACT, LEDGER)
    assert report == {
        "contract_version": "1.0",
        "policy": CONTRACT.lineage,
        "blocked_templates": ["lamp_relit"],
        "blocked_fixture_refs": [A, B],
        "counts": {"bind_attempts": 5, "templates_blocked": 1, "fixture_refs_blocked": 2, "tasks_expanded": 3},
    }


def test_its_text_is_read_back_whole():
    text = indented_json(REPORT)
    assert text.startswith('{\n  "blocked_fixture_refs": [\n    "[')
    assert text.endswith("}\n")
    assert not text.endswith("\n\n")
    assert verify_binding_report(text, CONTRACT, 3) == LEDGER


def test_a_policy_that_reserves_nothing_has_a_report_too():
    nothing = HeldOutContract(version="1")
    ledger = HeldOutLedger(bind_attempts=0, blocked_templates=(), blocked_fixture_refs=(), tasks_expanded=0)
    assert verify_binding_report(indented_json(binding_report(nothing, ledger)), nothing, 0) == ledger


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (None, "binding left no held_out_bindings.json"),
        ("", "no JSON"),
        ("{", "no JSON"),
        ("NaN", "no JSON"),
        ("[" * 100_000, "no JSON"),
        ("1" * 5_000, "no JSON"),
        ("[]", "no object"),
        ("null", "no object"),
        ("{}", "keys nothing"),
        (json.dumps(REPORT)[:-1] + ', "counts": {}}', "a key twice"),
        (json.dumps(REPORT).replace('"bind_attempts": 5', '"bind_attempts": 5.0'), "no whole number"),
        (json.dumps(REPORT).replace('"bind_attempts": 5', '"bind_attempts": 1e999'), "no whole number"),
    ],
)
def test_a_text_that_is_no_report(text, why):
    with pytest.raises(HeldOutLeakError, match=why):
        verify_binding_report(text, CONTRACT, 3)


@pytest.mark.parametrize(
    ("report", "why"),
    [
        (changed("hits", to=[]), "keys"),
        (without("counts"), "keys"),
        (changed("contract_version", to="1.1"), "the contract 1.0"),
        (changed("contract_version", to=1), "the contract 1.0"),
        # another policy
        (changed("policy", to=None), "object under `policy`"),
        (changed("policy", "version", to="2"), "differs in `version`"),
        (changed("policy", "source", to="other.yaml"), "differs in `source`"),
        (changed("policy", "policy_hash", to="sha256:0"), "differs in `policy_hash`"),
        (changed("policy", "fixtures_in_backend_state", to=1), "differs in `fixtures_in_backend_state`"),
        (changed("policy", "template_count", to=True), "differs in `template_count`"),
        (changed("policy", "owner", to=None), "differs in `owner`"),
        (without("policy", "source"), "differs in `source`"),
        # lists
        (changed("blocked_templates", to=None), "under `blocked_templates`"),
        (changed("blocked_templates", to="lamp_relit"), "under `blocked_templates`"),
        (changed("blocked_templates", to=["lamp_relit", 7]), "under `blocked_templates`"),
        (changed("blocked_templates", to=["lamp_relit", "lamp_lit"]), "sorted"),
        (changed("blocked_templates", to=["lamp_unlit"]), "does not reserve: `lamp_unlit`"),
        (changed("blocked_fixture_refs", to=[B, A]), "sorted"),
        (changed("blocked_fixture_refs", to=[A, A]), "each once"),
        (changed("blocked_fixture_refs", to=["buoys.9"]), "does not reserve: `buoys.9`"),
        (changed("blocked_fixture_refs", to=[[A]]), "under `blocked_fixture_refs`"),
        # counts
        (changed("counts", to=[]), "of `counts`"),
        (changed("counts", "bind_attempts", to=-1), "of `counts`"),
        (changed("counts", "bind_attempts", to=True), "of `counts`"),
        (changed("counts", "bind_attempts", to="5"), "of `counts`"),
        (changed("counts", "bind_attempts", to=None), "of `counts`"),
        (changed("counts", "rows_dropped", to=0), "of `counts`"),
        (without("counts", "bind_attempts"), "of `counts`"),
        (changed("counts", "templates_blocked", to=2), "`templates_blocked` 2, but lists 1"),
        (changed("counts", "fixture_refs_blocked", to=1), "`fixture_refs_blocked` 1, but lists 2"),
        (changed("counts", "tasks_expanded", to=4), "`tasks_expanded` 4, but binding left 3"),
    ],
)
def test_a_report_that_deviates(report, why):
    with pytest.raises(HeldOutLeakError, match=why):
        verify(report)


def test_tasks_that_came_or_went_after_binding():
    with pytest.raises(HeldOutLeakError, match="binding left 2"):
        verify(REPORT, expanded=2)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
PLACES = [
    (),
    *((key,) for key in REPORT),
    *(("policy", key) for key in REPORT["policy"]),
    *(("counts", key) for key in REPORT["counts"]),
]


@given(place=st.sampled_from(PLACES), value=json_values)
def test_whatever_stands_in_the_report_it_is_read_or_refused(place, value):
    report = changed(*place, to=value) if place else value
    try:
        assert verify(report) is not None
    except HeldOutLeakError:
        assert report != REPORT
