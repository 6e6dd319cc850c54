"""Held-out material from end to end: what a run leaves about it, and what happens when some would get out."""

import json
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assay.artifacts import codec
from assay.artifacts.ledger import DIRECT
from assay.artifacts.store import read_artifact, read_rows
from assay.artifacts.table_rows import TableRows
from assay.artifacts.tables import HELD_OUT_BINDINGS, TASK_INSTANCES
from assay.pipeline import PIPELINE, StageContext, stage_named
from assay.runner import Run, RunRequest, carry_out
from assay.stages.held_out import HeldOutContract, verify_binding_report
from assay.values import digest_bytes
from tests.support.pack_files import HELD_OUT, edit, write_pack
from tests.support.packs import PACKS

BINDINGS, SCAN = "held_out_bindings.json", "held_out_scan.json"
REF = '["records","REC-002"]'
CALLED = "def assert_called(*, state, trace, task, ctx) -> None:\n    assert trace\n\n\n"
POLICY = HELD_OUT.replace("state: false", "state: true")


def run(folder, to, *, store=None):
    """Validate a pack; return the report and the folder that shows the run."""
    root = to / "store" if store is None else store
    report = carry_out(RunRequest(pack=str(folder), root=str(root), output_dir=str(to / "out")))
    (view,) = (path for path in (to / "out").iterdir() if path.is_dir() and path != root)
    return report, view


def read(view, name):
    return json.loads((view / name).read_bytes())


@pytest.fixture(scope="module")
def corner_bank(tmp_path_factory):
    return run(PACKS / "corner_bank", tmp_path_factory.mktemp("first"))


def test_a_gold_pack_leaves_both_reports(corner_bank):
    report, view = corner_bank
    assert report.status == "gold"
    bindings, scan = read(view, BINDINGS), read(view, SCAN)
    assert bindings["blocked_templates"] == ["cb_statement"]
    assert bindings["blocked_fixture_refs"] == ['["accounts","CB-2190"]', '["cards","KD-890"]', '["payees","PE-390"]']
    assert bindings["counts"]["tasks_expanded"] == 22
    assert bindings["counts"]["bind_attempts"] > bindings["counts"]["fixture_refs_blocked"] == 3
    assert (bindings["policy"]["source"], bindings["policy"]["fixture_ref_count"]) == ("held_out.yaml", 4)
    assert scan["policy"] == bindings["policy"]
    assert scan["stage_four"] == {
        name: bindings[name] for name in ("blocked_templates", "blocked_fixture_refs", "counts")
    }
    assert (scan["action"], scan["hits"]) == ("publish", [])
    assert scan["counts"] == {
        "rows_scanned": 22,
        "rows_hit": 0,
        "rows_blocked": 0,
        "rows_dropped": 0,
        "planned_rows_published": 22,
        "rows_published": 22,
    }
    assert report.held_out == {
        "policy": bindings["policy"],
        "bindings": bindings["counts"],
        "scan": {**scan["counts"], "action": "publish"},
    }


def test_no_instance_is_bound_to_what_is_reserved(corner_bank):
    _, view = corner_bank
    reserved = set(read(view, BINDINGS)["blocked_fixture_refs"])
    for row in pq.read_table(view / "task_instances.parquet").to_pylist():
        assert row["reserved"] == (row["template_id"] == "cb_statement")
        assert row["reserved"] or not reserved & set(row["fixture_refs"])


def test_their_bytes_are_of_one_form_and_the_same_in_every_run(corner_bank, tmp_path):
    _, view = corner_bank
    _, again = run(PACKS / "corner_bank", tmp_path)
    digests = read(view, "run_manifest.json")["files"]
    for name in (BINDINGS, SCAN):
        data = (view / name).read_bytes()
        text = json.dumps(json.loads(data), indent=2, sort_keys=True, ensure_ascii=False) + "\n"
        assert data == text.encode()
        assert (again / name).read_bytes() == data
        assert digests[name] == digest_bytes(data)


def test_whoever_publishes_can_verify_the_report(corner_bank):
    _, view = corner_bank
    contract = HeldOutContract(
        version="1",
        fixture_refs=tuple(
            f'["{collection}","{row_id}"]'
            for collection, row_id in (
                ("accounts", "CB-2190"),
                ("postings", "PX-7090"),
                ("cards", "KD-890"),
                ("payees", "PE-390"),
            )
        ),
        template_ids=("cb_statement",),
        fixtures_in_backend_state=False,
        seed=7,
        source="held_out.yaml",
    )
    ledger = verify_binding_report((view / BINDINGS).read_text(encoding="utf-8"), contract, 22)
    assert ledger.blocked_templates == ("cb_statement",)


def test_without_a_policy_nothing_is_claimed_and_stale_reports_go(tmp_path):
    folder = write_pack(tmp_path / "pack", held_out=POLICY)
    report, view = run(folder, tmp_path)
    assert (view / BINDINGS).exists()
    assert (view / SCAN).exists()
    edit(folder / "manifest.yaml", "held_out: held_out.yaml\n", "")
    report, view = run(folder, tmp_path)
    assert report.to_json()["held_out"] is None
    assert not [path.name for path in view.iterdir() if path.name in (BINDINGS, SCAN)]
    assert pq.read_table(view / "held_out_scans.parquet").num_rows == 0


def test_a_policy_that_reserves_nothing_is_recorded_and_scanned(tmp_path):
    report, view = run(write_pack(tmp_path / "pack", held_out='version: "1"\n'), tmp_path)
    assert report.status == "gold"
    assert read(view, BINDINGS)["policy"]["fixture_ref_count"] == 0
    assert (read(view, SCAN)["action"], read(view, SCAN)["counts"]["rows_scanned"]) == ("publish", 4)


def test_a_policy_with_a_fault_leaves_no_scan(tmp_path):
    policy = POLICY.replace("[REC-002]", "[REC-002, REC-9]")
    report, view = run(write_pack(tmp_path / "pack", held_out=policy), tmp_path)
    told = {each.code: each for each in report.findings}
    summed_up = told["held_out_contract_invalid"]
    assert summed_up.root == told["held_out_unknown_id"].id
    assert str(summed_up.place) == "held_out.yaml:3:22"
    assert read(view, BINDINGS)["policy"]["fixture_ref_count"] == 1
    assert not (view / SCAN).exists()
    assert report.held_out["scan"] is None


def test_a_reserved_id_that_a_template_writes_out_aborts(tmp_path):
    """The backend has the row, the call works, the assertions pass: nothing but the scan can see it."""
    folder = write_pack(tmp_path / "pack", held_out=POLICY)
    edit(folder / "task_templates.yaml", "tool: get_record}", "tool: get_record, args: {record_id: REC-002}}")
    edit(folder / "task_templates.yaml", "assert_record_reported", "assert_called")
    edit(folder / "assertions.py", "ASSERTIONS = {", CALLED + 'ASSERTIONS = {\n    "assert_called": assert_called,')
    report, view = run(folder, tmp_path)
    (found,) = (each for each in report.findings if each.is_error)
    assert (found.code, found.template_id, found.tool) == ("held_out_leak_detected", "starter_get_record", "get_record")
    assert found.message == (
        f"An instance of starter_get_record would publish the reserved row {REF}: `record_id` of the call of"
        ' `get_record` is "REC-002".'
    )
    assert str(found.place) == "task_templates.yaml:18:61"
    assert (report.status, report.stats["n_passed"]) == ("not_gold", 4)
    scan = read(view, SCAN)
    assert scan["action"] == "abort"
    assert [(each["matched_template_id"], each["matched_fixture_refs"]) for each in scan["hits"]] == [(None, [REF])]
    assert scan["counts"] == {
        "rows_scanned": 3,
        "rows_hit": 1,
        "rows_blocked": 1,
        "rows_dropped": 0,
        "planned_rows_published": 3,
        "rows_published": 0,
    }


# A binding stage that records the policy, but blocks nothing


@pytest.fixture
def evidence(tmp_path):
    """A finished run, as the last stage sees it."""
    folder = write_pack(tmp_path / "pack", held_out=POLICY)
    with Run(RunRequest(pack=str(folder), root=str(tmp_path / "store"))) as begun:
        begun.begin(DIRECT)
        references = {}
        for stage in PIPELINE[:-1]:
            references[stage.name] = begun.execute(stage, references)
        yield StageContext(
            loaded=begun.loaded,
            config=begun.config,
            identity=begun.identity,
            tables={
                table: read_rows(read_artifact(Path(reference.path)), table)
                for name, reference in references.items()
                for table in stage_named(name).tables
            },
            findings={name: () for name in references},
            engine_source=lambda: begun.engine,
        )


def judge(context, **tables):
    """Run the last stage with some tables replaced; return the leaks that it tells, and the scan."""
    output = stage_named("report").compute(replace(context, tables={**context.tables, **tables}))
    told = [each for each in codec.read_findings(output.tables["findings"]) if each.is_error]
    failed = [row["check"] for row in output.tables["checks"].to_pylist() if row["status"] == "fail"]
    return told, failed, codec.read_held_out_scan(TableRows.of_table(output.tables["held_out_scans"]))


def test_the_untouched_evidence_is_clean(evidence):
    told, failed, scan = judge(evidence)
    assert (told, failed, scan.action) == ([], [], "publish")


@pytest.mark.parametrize(
    ("template_id", "changed", "evidence_of_it"),
    [
        ("starter_get_record", {"fixture_refs": (REF,)}, (None, (REF,))),
        ("starter_get_record", {"slots_initial": {"record_id": "REC-002"}}, (None, (REF,))),
        ("starter_missing_record", {"reserved": False}, ("starter_missing_record", ())),
    ],
)
def test_an_instance_that_ignores_the_policy_aborts(evidence, template_id, changed, evidence_of_it):
    instances = codec.read_task_instances(evidence.tables["task_instances"])
    leaky = [replace(each, **changed) if each.template_id == template_id else each for each in instances]
    bindings = codec.read_held_out_bindings(evidence.tables["held_out_bindings"])
    bindings["counts"]["tasks_expanded"] = sum(not each.reserved for each in leaky)
    told, failed, scan = judge(
        evidence,
        task_instances=TableRows.of_table(
            codec.make_table(TASK_INSTANCES, (codec.task_instance_row(evidence.identity, each) for each in leaky))
        ),
        held_out_bindings=TableRows.of_table(codec.held_out_bindings_table(evidence.identity, bindings)),
    )
    assert [(each.code, each.template_id) for each in told] == [("held_out_leak_detected", template_id)]
    assert told[0].place.file == "task_templates.yaml"
    assert failed == ["7"]
    (hit,) = scan.hits
    assert (hit.matched_template_id, hit.matched_fixture_refs) == evidence_of_it
    assert scan.action == "abort"
    assert scan.counts["rows_published"] == scan.counts["rows_dropped"] == 0
    assert scan.counts["rows_hit"] == scan.counts["rows_blocked"] == 1
    assert scan.counts["planned_rows_published"] >= 3


def test_a_binding_report_that_is_not_there_is_a_leak(evidence):
    told, failed, scan = judge(evidence, held_out_bindings=TableRows.of_table(HELD_OUT_BINDINGS.arrow.empty_table()))
    (found,) = told
    assert (found.code, found.detail) == ("held_out_leak_detected", {"kind": "binding_report_refused"})
    assert str(found.place).startswith("held_out.yaml:")
    assert (failed, scan) == (["7"], None)


def test_a_verdict_without_its_instance_is_a_leak(evidence):
    rows = [*evidence.tables["task_instances"]]
    without_first = pa.Table.from_pylist(rows[1:], schema=TASK_INSTANCES.arrow)
    told, _, scan = judge(evidence, task_instances=TableRows.of_table(without_first))
    assert {each.detail["kind"] for each in told} == {"binding_report_refused", "scan_incomplete"}
    assert scan is None
