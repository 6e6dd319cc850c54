"""Findings of the stages over one pack, put together as the report does."""

from __future__ import annotations

import subprocess
import sys

import pytest

from assay import validate
from assay.checks.consequences import link_across_stages
from assay.checks.probe import probe_pack
from assay.stages.assertion_review import AssertionReview
from assay.stages.assertions import judge_replays
from assay.stages.compare import Causes, compare_instances
from assay.stages.compare_review import CompareReview
from assay.stages.replay import replay_traces
from assay.stages.replay_review import ReplayReview
from tests.support.pack_files import edit
from tests.support.packs import copy_of_tiny_library
from tests.support.quay import Quay, config_of, load, running
from tests.support.records import instance, plan, trace, valid


@pytest.fixture
def quay(tmp_path):
    return Quay(tmp_path)


def everything(quay):
    """Run the stages that execute pack code; return their findings, linked, without what I1 says to `thread`."""
    pack, config = load(quay), config_of(quay, worker="thread")
    depth = instance(pack, "berth_depth", berth_id="B-1")
    booking = instance(pack, "berth_booking", berth_id="B-1")
    tasks = [depth, booking]
    traces = [
        trace(depth, ("find_berth", {"berth_id": "B-1"})),
        trace(booking, ("book_berth", {"berth_id": "B-1", "confirm": True})),
    ]
    checks, plans = [valid(task) for task in tasks], [plan(task) for task in tasks]
    replay_review = ReplayReview(pack)
    with running(pack, config) as engine:
        probes = probe_pack(pack, engine, config).findings
        replays = list(replay_review.watch(replay_traces(pack, tasks, traces, checks, engine, config)))
        assertion_review = AssertionReview(pack, replay_review.findings())
        outcomes = list(assertion_review.watch(judge_replays(pack, tasks, plans, replays, engine, config)))
        compare_review = CompareReview(pack)
        causes = Causes(pack, engine, config)
        list(compare_review.watch(compare_instances(tasks, traces, checks, replays, outcomes, causes)))
    found = (*probes, *replay_review.findings(), *assertion_review.findings(), *compare_review.findings())
    return link_across_stages([each for each in found if str(each.check) != "I1"])


def roots(findings):
    return [each.code for each in findings if each.root is None]


def consequences(findings):
    names = {each.id: each.code for each in findings}
    return {(each.code, names[each.root]) for each in findings if each.root is not None}


def spoil(quay, line):
    quay.replace("backend.py", '    if name == "find_berth":\n', f'    if name == "find_berth":\n        {line}\n')


def test_a_gold_pack_has_neither(quay):
    assert everything(quay) == ()


def test_a_call_that_raises_has_one_root_per_line_of_pack_code(quay):
    spoil(quay, 'raise LookupError("no tide")')
    found = everything(quay)
    assert set(roots(found)) == {"raised"}
    assert ("executable_replay_failed", "raised") in consequences(found)


def test_a_reset_that_raises_has_one_root(quay):
    quay.replace("backend.py", "    STATE.clear()", '    raise RuntimeError("no tide")')
    found = everything(quay)
    assert roots(found) == ["raised"]
    assert ("executable_replay_failed", "raised") in consequences(found)


def test_a_backend_that_cannot_be_imported_has_one_root(quay):
    quay.replace("backend.py", "STATE = {}", "import no_such_module")
    found = everything(quay)
    assert roots(found) == ["list_tools_failed"]
    assert ("executable_replay_failed", "list_tools_failed") in consequences(found)


@pytest.mark.parametrize("name", ["reset", "get_state", "call_tool"])
def test_a_missing_callable_has_one_root(quay, name):
    quay.replace("backend.py", f"def {name}(", f"def no_{name}(")
    found = everything(quay)
    assert roots(found) == ["missing_backend_symbol"]
    assert ("executable_replay_failed", "missing_backend_symbol") in consequences(found)


def test_a_tool_that_the_oracle_lacks_has_one_root(quay):
    quay.replace("backend.py", 'return ["find_berth", "book_berth"]', 'return ["find_berth"]')
    quay.replace("backend.py", "    if not berth", '    return refuse("unknown_tool", name)\n    if not berth')
    found = everything(quay)
    assert roots(found) == ["schema_without_implementation"]
    assert ("expected_call_failed", "schema_without_implementation") in consequences(found)
    assert ("assertion_failed", "schema_without_implementation") in consequences(found)


def test_an_assertion_that_is_missing_has_one_root(quay):
    quay.replace("assertions.py", '    "assert_berth_booked": assert_berth_booked,\n', "")
    quay.replace("assertions.py", '    "assert_berth_booked": {"category": "state"},\n', "")
    found = everything(quay)
    assert roots(found) == ["missing_assertion"]
    assert consequences(found) == {("assertion_infrastructure_error", "missing_assertion")}


def test_an_assertion_that_cannot_be_called_has_one_root(quay):
    quay.replace("assertions.py", "assert_berth_booked(*, state, trace, task, ctx)", "assert_berth_booked(state)")
    found = everything(quay)
    assert roots(found) == ["invalid_signature"]
    assert consequences(found) == {("assertion_infrastructure_error", "invalid_signature")}


def test_an_assertions_module_that_cannot_be_imported_is_told_once(quay):
    quay.replace("assertions.py", "ASSERTIONS = {", "import no_such_module\nASSERTIONS = {")
    found = everything(quay)
    assert set(roots(found)) == {"assertions_import_failed"}
    assert len({each.id for each in found if each.code == "assertions_import_failed"}) == 1


def test_an_assertion_that_fails_in_one_of_two_replays_follows_from_the_divergence(quay):
    quay.replace("backend.py", '"depth": berth["depth"]', '"depth": berth["depth"], "x": hash("tide")')
    quay.replace(
        "assertions.py", 'assert trace, "no call was made"', f'assert trace[0]["result"]["x"] == {hash_of("tide")}'
    )
    found = everything(quay)
    assert "assertion_failed" not in roots(found)
    assert ("assertion_failed", "nondeterministic_replay") in consequences(found)


def hash_of(text):
    """Return what `hash` gives in attempt 1, whose hash seed is 0."""
    command = [sys.executable, "-c", f"print(hash({text!r}))"]
    return int(subprocess.run(command, env={"PYTHONHASHSEED": "0"}, capture_output=True, check=True).stdout)


def test_order_and_number_stay_as_they_are(quay):
    spoil(quay, "return [1]")
    found = everything(quay)
    assert [each.code for each in link_across_stages(found)] == [each.code for each in found]


def test_a_field_that_is_missing_because_its_name_is_misspelt_follows_from_that(tmp_path):
    folder = copy_of_tiny_library(tmp_path / "pack")
    edit(folder / "task_templates.yaml", "success_assertions: [assert_no_tool_called]", "suceess_assertions: [x]")
    edit(folder / "task_templates.yaml", "visible_in_first_turn: false", "visible_in_frist_turn: false")
    edit(folder / "manifest.yaml", "description:", "descripton:")
    report = validate(folder)
    assert sorted((each.code, each.place.file) for each in report.findings if each.root is None) == [
        ("unknown_key", "manifest.yaml"),
        ("unknown_key", "task_templates.yaml"),
        ("unknown_key", "task_templates.yaml"),
    ]
    assert {each.code for each in report.findings if each.root is not None} == {
        "invalid_conversation_plan",
        "slot_missing_visibility_flag",
        "template_without_success_assertion",
    }


@pytest.mark.parametrize("file", ["tools.json", "fixtures.json"])
def test_a_file_that_cannot_be_read_is_one_root(tmp_path, file):
    folder = copy_of_tiny_library(tmp_path / "pack")
    edit(folder / file, ",", "")
    report = validate(folder)
    assert [(each.code, each.place.file) for each in report.findings if each.root is None] == [("json_syntax", file)]
