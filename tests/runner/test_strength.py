"""Assertion strength through the whole pipeline."""

import json

import pyarrow.parquet as pq
import pytest

from assay.runner import RunRequest, carry_out
from tests.support.packs import copy_of_tiny_library

LAX = ("assertions.py", "assert not called", "assert called is not None")


@pytest.fixture
def pack(tmp_path):
    return copy_of_tiny_library(tmp_path / "pack")


def run(pack, root, **options):
    """Carry out a request; return the report and the names of the stages that were computed."""
    references = []
    report = carry_out(RunRequest(pack=str(pack), root=str(root), **options), references.append)
    return report, {each.stage for each in references if not each.cached}


def mutants_of(report):
    return pq.read_table(report.artifacts["strength"], partitioning=None).to_pylist()


def test_the_report_tells_of_every_template(pack, tmp_path):
    report, _ = run(pack, tmp_path / "store", output_dir=str(tmp_path / "out"))
    assert report.status == "gold"
    rows = mutants_of(report)
    told = report.to_json()["assertion_strength"]
    assert told["measured"] is True
    assert (told["killed"], told["total"]) == (sum(row["status"] == "killed" for row in rows), len(rows))
    assert {each["template_id"] for each in told["templates"]} == {row["template_id"] for row in rows}
    assert all(0 < each["killed"] <= each["total"] for each in told["templates"])
    written = json.loads((tmp_path / "out" / "validation" / "report.json").read_bytes())
    assert written["assertion_strength"] == told
    assert pq.read_table(tmp_path / "out" / "validation" / "mutants.parquet").num_rows == len(rows)


def test_a_template_whose_assertions_never_fail_is_not_gold(tmp_path):
    pack = copy_of_tiny_library(tmp_path / "lax", LAX)
    report, _ = run(pack, tmp_path / "store")
    (only,) = report.findings
    assert (only.code, only.template_id, report.status) == ("assertions_never_fail", "lib_irrelevant_renew", "not_gold")
    assert [str(each.check) for each in report.checks if each.status == "fail"] == ["7"]


def test_a_run_without_mutants_is_gold_and_says_so(tmp_path):
    pack = copy_of_tiny_library(tmp_path / "lax", LAX)
    report, _ = run(pack, tmp_path / "store", mutants=False)
    assert report.status == "gold"
    assert report.to_json()["assertion_strength"] == {"measured": False, "killed": 0, "total": 0, "templates": []}
    assert mutants_of(report) == []


def test_leaving_mutants_out_costs_no_other_stage_its_place_in_the_store(pack, tmp_path):
    run(pack, tmp_path / "store")
    assert run(pack, tmp_path / "store", mutants=False)[1] == {"strength", "report"}
    assert run(pack, tmp_path / "store")[1] == set()


def test_one_task_of_a_template_is_measured_whatever_is_proven(pack, tmp_path):
    first = mutants_of(run(pack, tmp_path / "store")[0])
    assert mutants_of(run(pack, tmp_path / "store", exhaustive=True)[0]) == first
