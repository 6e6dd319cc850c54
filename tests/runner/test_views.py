"""The folder that shows a run is written when it is not there or not whole, and else left alone."""

import json
from dataclasses import replace

import pytest

from assay import runner
from assay.artifacts.ledger import Ledger, StageRecord
from assay.pipeline import stage_named
from assay.runner import Run, RunRequest, StageCrash, carry_out
from assay.values import digest_bytes, indented_json
from tests.support.packs import copy_of_tiny_library


def show(pack, folder):
    """Carry out a run and return its view, with the moment at which each file of it was written."""
    carry_out(RunRequest(pack=str(pack), root=str(folder / "store"), output_dir=str(folder / "views")))
    (view,) = (folder / "views").iterdir()
    return view, {path.name: path.stat().st_mtime_ns for path in view.iterdir()}


@pytest.fixture
def shown(tmp_path):
    pack = copy_of_tiny_library(tmp_path / "pack")
    return pack, *show(pack, tmp_path)


def test_a_view_that_shows_the_same_already_is_left_as_it_is(shown, tmp_path):
    pack, view, written = shown
    assert show(pack, tmp_path) == (view, written)


@pytest.mark.parametrize("name", ["report.json", "expected_calls.parquet", "run_manifest.json"])
@pytest.mark.parametrize("damage", ["gone", "cut", "replaced"])
def test_a_view_that_is_not_whole_is_written_anew(shown, tmp_path, name, damage):
    pack, view, _ = shown
    before = {path.name: path.read_bytes() for path in view.iterdir()}
    file = view / name
    if damage == "gone":
        file.unlink()
    else:
        file.write_bytes(before[name][:-9] if damage == "cut" else b'{"artifacts": []}')
    show(pack, tmp_path)
    assert {path.name: path.read_bytes() for path in view.iterdir()} == before


def test_a_whole_view_of_another_result_under_the_same_keys_is_written_anew(shown, tmp_path):
    """What a provisional result leaves: the next run has the same keys, and may have another report."""
    pack, view, _ = shown
    before = {path.name: path.read_bytes() for path in view.iterdir()}
    report = (view / "report.json").read_bytes().replace(b'"gold"', b'"not_gold"')
    manifest = json.loads(before["run_manifest.json"])
    manifest["files"]["report.json"] = digest_bytes(report)
    (view / "report.json").write_bytes(report)
    (view / "run_manifest.json").write_text(indented_json(manifest))
    show(pack, tmp_path)
    assert {path.name: path.read_bytes() for path in view.iterdir()} == before


def test_a_view_of_other_artifacts_is_written_anew(shown, tmp_path):
    pack, view, _ = shown
    before = json.loads((view / "run_manifest.json").read_text())
    (pack / "README.md").write_text("another text")
    show(pack, tmp_path)
    after = json.loads((view / "run_manifest.json").read_text())
    assert after["pack_fingerprint"] != before["pack_fingerprint"]
    assert after["artifacts"].keys() == before["artifacts"].keys()


def served(pack, folder, **changed):
    """Serve a run whole from the store, as the first step of a pack in a batch does; return its request."""
    request = replace(RunRequest(pack=str(pack), root=str(folder / "store")), **changed)
    runner.begin(request)
    assert runner.serve(request) is not None
    return request


def records_of(folder, request):
    return sorted(path.name for path in Ledger(folder / "store").folder(request.run_id).iterdir())


def test_a_run_that_the_store_serves_whole_records_its_stages_in_one_file(shown, tmp_path):
    ledger = Ledger(tmp_path / "store")
    (computed,) = (ledger.read_stages(run["run_id"]) for run in ledger.runs())
    request = served(shown[0], tmp_path)
    stages = ledger.read_stages(request.run_id)
    assert records_of(tmp_path, request) == ["run.json", "stages.json"]
    assert {name: each["key"] for name, each in stages.items()} == {
        name: each["key"] for name, each in computed.items()
    }
    assert {each["status"] for each in stages.values()} == {"cached"}


def test_a_second_attempt_may_find_records_of_the_first_and_writes_over_each(shown, tmp_path):
    ledger = Ledger(tmp_path / "store")
    request = RunRequest(pack=str(shown[0]), root=str(tmp_path / "store"))
    runner.begin(request)
    crashed = StageRecord(
        stage="plan", status="crashed", key=None, path=None, final=False, started="", seconds=0.0, worker="", error="no"
    )
    ledger.write_stage(request.run_id, crashed)
    served(shown[0], tmp_path, run_id=request.run_id)
    assert {each["status"] for each in ledger.read_stages(request.run_id).values()} == {"cached"}


def test_a_pack_that_changes_after_it_was_looked_for_is_not_mixed_with_what_it_was(tmp_path):
    pack = copy_of_tiny_library(tmp_path / "pack")
    with Run(RunRequest(pack=str(pack), root=str(tmp_path / "store"))) as run:
        assert run.find(stage_named("load"), {}) is None
        (pack / "README.md").write_text("another text")
        with pytest.raises(StageCrash, match="the pack changed while the run was under way"):
            run.execute(stage_named("load"), {})
