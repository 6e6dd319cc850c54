"""What is served from the store, what is computed again, and what is never kept."""

import json
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from assay.artifacts.ledger import new_run_id
from assay.pipeline import PIPELINE, computations, stage_named
from assay.runner import Run, RunRequest, StageCrash, carry_out, execute_stage, finish
from tests.support.pack_files import edit
from tests.support.packs import copy_of_tiny_library

STAGES = [stage.name for stage in PIPELINE]


@pytest.fixture
def pack(tmp_path):
    return copy_of_tiny_library(tmp_path / "pack")


def run(pack, root, **options):
    """Carry out a request; return the report and the names of the stages that were computed."""
    references = []
    report = carry_out(RunRequest(pack=str(pack), root=str(root), **options), references.append)
    return report, {each.stage for each in references if not each.cached}


def test_an_unchanged_pack_is_served_from_the_store(pack, tmp_path):
    first, computed = run(pack, tmp_path / "store")
    assert computed == set(STAGES)
    second, computed = run(pack, tmp_path / "store")
    assert computed == set()
    assert second.to_json() == first.to_json()


def test_a_pack_elsewhere_with_the_same_bytes_is_the_same_pack(pack, tmp_path):
    run(pack, tmp_path / "store")
    other = copy_of_tiny_library(tmp_path / "moved")
    assert run(other, tmp_path / "store")[1] == set()


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("assertions.py", '"only lookups are expected"', '"nothing but lookups"'),
        ("task_templates.yaml", "Could you extend my library card", "Could you prolong my library card"),
        ("README.md", "#", "##"),
    ],
)
def test_an_edit_makes_another_pack_whose_tables_all_carry_its_fingerprint(pack, tmp_path, file, old, new):
    before, _ = run(pack, tmp_path / "store")
    edit(pack / file, old, new)
    report, computed = run(pack, tmp_path / "store")
    assert computed == set(STAGES)
    assert report.pack_fingerprint != before.pack_fingerprint
    for path in report.artifacts.values():
        table = pq.read_table(path, partitioning=None)
        assert set(table.column("pack_fingerprint").to_pylist()) <= {report.pack_fingerprint}


@pytest.mark.parametrize("junk", ["__pycache__/backend.cpython-311.pyc", ".git/HEAD", "notes.pyc"])
def test_files_that_are_no_part_of_the_pack_change_nothing(pack, tmp_path, junk):
    run(pack, tmp_path / "store")
    (pack / junk).parent.mkdir(exist_ok=True)
    (pack / junk).write_text("x")
    assert run(pack, tmp_path / "store")[1] == set()


@pytest.mark.parametrize("stage", ["bind", "replay", "report"])
def test_a_deleted_artifact_is_computed_again_and_nothing_else(pack, tmp_path, stage):
    root = tmp_path / "store"
    first, _ = run(pack, root)
    for file in Path(first.artifacts[stage]).parent.iterdir():
        file.unlink()
    second, computed = run(pack, root)
    assert computed == {stage}
    assert second.to_json() == first.to_json()


def test_proving_everything_is_another_question(pack, tmp_path):
    run(pack, tmp_path / "store")
    _, computed = run(pack, tmp_path / "store", exhaustive=True)
    assert "plan" in computed
    assert not {"load", "probe", "bind"} & computed


def test_a_result_that_rests_on_a_deadline_is_used_but_never_kept(pack, tmp_path):
    lookup = '    book = _find("books", "book_id", arguments["book_id"])\n    return'
    edit(pack / "backend.py", lookup, f"    __import__('time').sleep(60)\n{lookup}")
    config = pack / "fast.yaml"
    text = (pack / "validate.yaml").read_text().replace("oracle_runtime:", "oracle_runtime:\n  tool_timeout_s: 0.3", 1)
    config.write_text(text.replace("output_dir: ../../.demo/tiny_library", f"output_dir: {tmp_path}/out"))

    def again():
        references = []
        carry_out(RunRequest(config=str(config), root=str(tmp_path / "store")), references.append)
        return {each.stage: each for each in references}

    again()
    second = again()
    assert second["bind"].cached
    for stage in ("probe", "replay", "assert", "compare", "report"):
        assert not second[stage].cached, stage
        assert not second[stage].final, stage
        assert "/provisional/" in second[stage].path


def test_stages_may_run_in_any_process_and_the_report_is_the_same(pack, tmp_path):
    direct, _ = run(pack, tmp_path / "direct")
    request = RunRequest(pack=str(pack), root=str(tmp_path / "staged"))
    references = {}
    for stage in PIPELINE:
        given = json.loads(json.dumps(RunRequest.to_json(request)))
        references[stage.name] = execute_stage(RunRequest.from_json(given), stage.name, references)
    staged = finish(request, references)
    assert {**staged.to_json(), "artifacts": None} == {**direct.to_json(), "artifacts": None}


def test_a_pack_that_changes_during_the_run_is_a_crash_not_a_mixture(pack, tmp_path):
    request = RunRequest(pack=str(pack), root=str(tmp_path / "store"))
    with Run(request) as run:
        references = {"load": run.execute(stage_named("load"), {})}
    edit(pack / "task_templates.yaml", "Could you extend", "Could you renew")
    with Run(request) as elsewhere, pytest.raises(StageCrash, match="changed while the run was under way"):
        elsewhere.execute(stage_named("bind"), references)


def test_the_process_that_loaded_a_pack_goes_on_with_what_it_loaded(pack, tmp_path):
    request = RunRequest(pack=str(pack), root=str(tmp_path / "store"))
    references = {"load": execute_stage(request, "load", {})}
    edit(pack / "task_templates.yaml", "Could you extend", "Could you renew")
    assert not execute_stage(request, "bind", references).cached
    assert execute_stage(replace(request, run_id=new_run_id()), "load", {}).key != references["load"].key


def test_after_a_crash_a_process_reads_the_pack_again(pack, tmp_path):
    request = RunRequest(pack=str(pack), root=str(tmp_path / "store"))
    execute_stage(request, "load", {})
    edit(pack / "task_templates.yaml", "Could you extend", "Could you renew")
    with Run(request) as elsewhere:
        references = {"load": elsewhere.execute(stage_named("load"), {})}
    with pytest.raises(StageCrash, match="changed while the run was under way"):
        execute_stage(request, "bind", references)
    assert not execute_stage(request, "bind", references).cached


def test_a_store_that_cannot_be_written_is_a_crash_and_leaves_a_record_if_it_can(pack, tmp_path):
    request = RunRequest(pack=str(pack), root=str(tmp_path / "store"))
    references = {"load": execute_stage(request, "load", {})}
    (tmp_path / "store" / "stage=bind").write_text("in the way")
    with pytest.raises(StageCrash, match="bind"):
        execute_stage(request, "bind", references)
    record = json.loads((tmp_path / "store" / "runs" / request.run_id / "stage-bind.json").read_text())
    assert record["status"] == "crashed"
    assert "bind" in record["error"]


def broken(context):
    raise ZeroDivisionError("a bug of ours")


def broken_on_the_way(context):
    stream = computations.render(context)
    yield next(stream)
    yield next(stream)
    stream.close()
    raise ZeroDivisionError("a bug of ours")


@pytest.mark.parametrize("bug", ["broken", "broken_on_the_way"])
def test_a_bug_in_a_stage_becomes_a_finding_and_the_other_stages_go_on(bug, pack, tmp_path, monkeypatch):
    render = next(stage for stage in PIPELINE if stage.name == "render")
    faulty = replace(render, computation=f"{__name__}:{bug}")
    monkeypatch.setattr("assay.runner.direct.PIPELINE", tuple(faulty if s is render else s for s in PIPELINE))
    report, _ = run(pack, tmp_path / "store")
    found = [each for each in report.findings if each.code == "internal_error"]
    assert [(each.detail["stage"], each.place) for each in found] == [("render", None)]
    assert "ZeroDivisionError" in found[0].message
    assert str(tmp_path) not in json.dumps(found[0].to_json())
    assert report.stats["n_passed"] == 5
    assert report.status == "not_gold"
    monkeypatch.undo()
    assert run(pack, tmp_path / "store")[0].status == "gold"


def test_a_folder_without_a_manifest_still_gets_a_report(tmp_path):
    (tmp_path / "pack").mkdir()
    report, _ = run(tmp_path / "pack", tmp_path / "store")
    assert report.status == "not_gold"
    assert report.tier == "prototype"
    assert report.pack_id is None
    assert [each.code for each in report.findings] == ["missing_pack_file"]
    assert {each.status for each in report.checks} == {"skipped"}
