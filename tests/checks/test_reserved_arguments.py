from __future__ import annotations

from dataclasses import replace

import pytest

from assay.checks.case_runs import CaseRun
from assay.checks.cases import judge_cases
from assay.checks.reserved_arguments import reserved_arguments
from assay.stages.results import classify
from tests.support.quay import Quay, load

NOT_FOUND = {"error": {"code": "not_found"}}
POLICY = """\
version: "1"
fixtures:
  berths: [B-2]
policy:
  fixtures_in_backend_state: false
"""


@pytest.fixture
def quay(tmp_path):
    quay = Quay(tmp_path)
    quay.append("manifest.yaml", "held_out: held_out.yaml\n")
    quay.write("held_out.yaml", POLICY)
    return quay


def run_of(pack, arguments, result):
    case = replace(pack.cases[0], arguments=arguments)
    return CaseRun(
        case=case,
        group=0,
        attempt=1,
        result=result,
        observed=classify(result, pack.manifest.confirmation),
        completed=True,
    )


def test_an_argument_that_names_a_reserved_row_is_told_with_its_collection(quay):
    pack = load(quay)
    found = reserved_arguments(pack, run_of(pack, {"a": 1, "berth_id": "B-2", "c": True}, NOT_FOUND))
    assert found == [
        {"argument": "berth_id", "value": "B-2", "collection": "berths", "fixture_ref": '["berths","B-2"]'}
    ]


@pytest.mark.parametrize(
    ("arguments", "result"),
    [
        ({"berth_id": "B-1"}, NOT_FOUND),
        ({"berth_id": "B-2"}, {"error": {"code": "gone"}}),
        ({"berth_id": "B-2"}, {"depth": 3}),
        (["B-2"], NOT_FOUND),
        ({"berth_id": ["B-2"]}, NOT_FOUND),
    ],
)
def test_nothing_is_told_of_other_arguments_and_other_answers(quay, arguments, result):
    pack = load(quay)
    assert reserved_arguments(pack, run_of(pack, arguments, result)) == []


def test_nothing_is_told_when_reserved_rows_stay_in_the_state(quay):
    quay.replace("held_out.yaml", "false", "true")
    pack = load(quay)
    assert reserved_arguments(pack, run_of(pack, {"berth_id": "B-2"}, NOT_FOUND)) == []


def test_the_mismatch_of_the_case_carries_it(quay):
    pack = load(quay)
    (judged,) = judge_cases(pack, [run_of(pack, {"berth_id": "B-2"}, NOT_FOUND)], ())
    told = {each.code: each.detail for each in judged.findings}
    assert set(told) == {"result_class_mismatch", "error_code_mismatch", "result_field_mismatch"}
    assert told["result_class_mismatch"]["held_out_fixture_arguments"][0]["argument"] == "berth_id"
    assert "held_out_fixture_arguments" in told["error_code_mismatch"]
    assert "held_out_fixture_arguments" not in told["result_field_mismatch"]
