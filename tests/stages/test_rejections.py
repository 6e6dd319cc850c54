from __future__ import annotations

import pytest

from assay.stages.rejections import Rejections
from tests.support.quay import Quay, load
from tests.support.records import instance, replay


@pytest.fixture
def quay(tmp_path):
    return Quay(tmp_path)


def shown(quay, *results, tool="find_berth"):
    """Say whether results of the negative path of the pack as it stands show a rejection."""
    pack = load(quay)
    task = instance(pack, "berth_unknown", berth_id="B-NONE")
    return Rejections(pack).shown_by(replay(task, *results, tool=tool), pack.template_named("berth_unknown"))


@pytest.mark.parametrize("result", [{"error": {"code": "not_found"}}, {"status": "awaiting_confirmation"}])
def test_an_error_and_a_pending_answer_show_a_rejection(quay, result):
    assert shown(quay, {"depth": 3}, result)


@pytest.mark.parametrize("result", [{"depth": 12}, {"error": "gone"}, {}, "gone"])
def test_a_plain_success_and_what_is_no_result_show_none(quay, result):
    assert not shown(quay, result)


def test_no_call_shows_none(quay):
    assert not shown(quay)


def test_a_field_that_a_probe_of_the_tool_pins_shows_it(quay):
    assert shown(quay, {"status": "rejected_taken"}, tool="book_berth")
    assert not shown(quay, {"status": "rejected_other"}, tool="book_berth")


def test_a_probe_that_shows_the_tool_at_work_pins_nothing(quay):
    assert not shown(quay, {"depth": 12})
    quay.replace("validation_cases.yaml", "result_class: success, error_code: null, depth: 12", "depth: 12")
    assert shown(quay, {"depth": 12})


def test_a_probe_of_another_tool_pins_nothing(quay):
    assert not shown(quay, {"status": "rejected_taken"}, tool="find_berth")


def test_an_echoed_argument_is_pinned_by_nothing(quay):
    quay.replace("validation_cases.yaml", "result_class: success, error_code: null, depth: 12", "berth_id: B-NONE")
    assert not shown(quay, {"berth_id": "B-NONE"})


def test_booleans_and_numbers_are_not_mixed_up_by_probes(quay):
    quay.replace("validation_cases.yaml", "result_class: success, error_code: null, depth: 12", "depth: 1")
    assert shown(quay, {"depth": 1.0})
    assert not shown(quay, {"depth": True})


def with_assertion(quay, body):
    quay.replace("assertions.py", 'assert trace[-1]["result"]["error"]["code"] == "not_found"', body)


def test_a_field_and_value_that_the_assertion_names_show_it(quay):
    with_assertion(quay, 'assert trace[-1]["result"]["state"] == "turned_away"')
    assert shown(quay, {"state": "turned_away"})
    assert not shown(quay, {"state": "let_in"})
    assert not shown(quay, {"other": "turned_away"})


def test_a_false_flag_that_the_assertion_names_shows_it(quay):
    with_assertion(quay, 'assert trace[-1]["result"]["ok"] is False')
    assert shown(quay, {"ok": False})
    assert not shown(quay, {"ok": 0})
    assert not shown(quay, {"ok": True})


def test_helpers_and_constants_that_the_assertion_uses_count(quay):
    with_assertion(quay, "check(trace)")
    quay.append(
        "assertions.py",
        """
        REFUSAL = "turned_away"


        def check(trace):
            assert trace[-1]["result"]["state"] == REFUSAL
        """,
    )
    assert shown(quay, {"state": "turned_away"})


def test_what_other_assertions_name_does_not_count(quay):
    with_assertion(quay, "assert trace")
    quay.append("assertions.py", 'def assert_other(*, state, trace, task, ctx):\n    assert trace[0]["x"] == "y"\n')
    assert not shown(quay, {"x": "y"})


def test_an_assertion_that_is_exported_under_another_name_is_looked_for_in_the_whole_module(quay):
    with_assertion(quay, 'assert trace[-1]["result"]["state"] == "turned_away"')
    quay.replace("assertions.py", "def assert_refused(", "def refused(")
    quay.replace("assertions.py", '"assert_refused": assert_refused', '"assert_refused": refused')
    assert shown(quay, {"state": "turned_away"})


def test_a_module_that_cannot_be_parsed_pins_nothing(quay):
    quay.write("assertions.py", "def assert_refused(:\n")
    assert not shown(quay, {"state": "turned_away"})
