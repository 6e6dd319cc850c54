"""Behaviours of whole validations that no test of a part shows: worker kinds, edited reports, one rule in one place."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

import assay
from assay.findings import Check
from assay.runner import RunRequest, carry_out
from assay.schema import argument_problems, definition_problems, with_defaults
from tests.support.packs import UNKNOWN_POLICY, copy_of_tiny_library

CONFIG = """\
expt_name: view
output_dir: out
oracle_pack: {manifest_path: pack/manifest.yaml}
task_generation: {tasks_per_category: 5}
"""


def run(folder, **runtime):
    """Validate the pack beside a run config; return the report and the stages that were computed."""
    config = folder / "run.yaml"
    config.write_text(CONFIG + (f"oracle_runtime: {json.dumps(runtime)}\n" if runtime else ""), encoding="utf-8")
    references = []
    report = carry_out(RunRequest(config=str(config), root=str(folder / "store")), references.append)
    return report, {each.stage for each in references if not each.cached}


def status_of(report, check):
    return next(each.status for each in report.checks if each.check is check)


def test_a_thread_worker_is_silver_with_i1_failed_and_t1_skipped(tmp_path):
    copy_of_tiny_library(tmp_path / "pack")
    report, _ = run(tmp_path, worker="thread")
    assert (report.tier, report.gold_eligible, report.status) == ("silver", False, "not_gold")
    assert status_of(report, Check.GOLD_ISOLATION) == "fail"
    assert status_of(report, Check.TIMEOUT_WIRING) == "skipped"
    assert [each.code for each in report.findings] == ["process_worker_required_for_gold"]


def test_another_kind_of_worker_is_another_validation(tmp_path):
    copy_of_tiny_library(tmp_path / "pack")
    gold, _ = run(tmp_path)
    other, computed = run(tmp_path, worker="thread")
    assert (gold.status, other.status) == ("gold", "not_gold")
    assert {"probe", "report"} <= computed
    assert run(tmp_path)[0].status == "gold"


def test_a_report_that_was_edited_to_look_passing_is_replaced_by_the_next_run(tmp_path):
    copy_of_tiny_library(tmp_path / "pack", UNKNOWN_POLICY)
    run(tmp_path)
    file = tmp_path / "out" / "view" / "report.json"
    honest = file.read_bytes()
    edited = json.loads(honest) | {"status": "gold", "tier": "gold", "gold_eligible": True, "findings": []}
    file.write_text(json.dumps(edited), encoding="utf-8")
    report, computed = run(tmp_path)
    assert (report.status, computed) == ("not_gold", set())
    assert file.read_bytes() == honest
    ids = [each["id"] for each in json.loads(honest)["checks"]]
    assert ids == [1, 2, 3, 4, 5, 6, 7, "M1", "D1", "D2", "T1", "I1"]


# One implementation of each rule


@pytest.mark.parametrize(
    ("rule", "home", "users"),
    [
        ("parse_filter", "pack/filters.py", {"pack/finder.py"}),
        ("parse_source", "pack/sources.py", {"pack/finder.py", "pack/fixtures.py"}),
    ],
)
def test_binding_and_validation_read_a_source_and_its_filter_by_one_function(rule, home, users):
    core = Path(assay.__file__).parent
    found = {"defined": set(), "imported": set()}
    for path in core.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name == rule:
                found["defined"].add(path.relative_to(core).as_posix())
            if isinstance(node, ast.ImportFrom) and rule in [each.name for each in node.names]:
                found["imported"].add(path.relative_to(core).as_posix())
    assert found == {"defined": {home}, "imported": users}


def test_a_reference_with_a_default_and_a_bound_beside_it_is_accepted_filled_in_and_held(tmp_path):
    parameters = {
        "type": "object",
        "properties": {"crates": {"allOf": [{"$ref": "#/$defs/amount"}, {"maximum": 9}]}},
        "$defs": {"amount": {"type": "integer", "minimum": 2, "default": 4}},
    }
    assert definition_problems({"type": "function", "function": {"name": "load", "parameters": parameters}}) == ()
    assert with_defaults(parameters, {}) == {"crates": 4}
    assert argument_problems(parameters, {"crates": 1}) == ({"reason": "number_below_minimum", "argument": "crates"},)
    assert argument_problems(parameters, {"crates": 10}) == ({"reason": "number_above_maximum", "argument": "crates"},)
