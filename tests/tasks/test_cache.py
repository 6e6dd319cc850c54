from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from assay.artifacts.keys import KeyParts
from assay.artifacts.store import Store, read_artifact, read_parts, read_table
from assay.runner import RunRequest, execute_stage, stage_key
from tasks.cache import ContentKey, records_below
from tests.support.packs import TINY_LIBRARY


@pytest.fixture
def request_for_it(tmp_path):
    return RunRequest(pack=str(TINY_LIBRARY), root=str(tmp_path / "store"))


def key_of(request, stage="load"):
    context = SimpleNamespace(task=SimpleNamespace(name=stage))
    return ContentKey().compute_key(context, {"pack": "any", "request": request.to_json(), "upstream": {}}, {})


@pytest.fixture
def loaded(request_for_it):
    """Execute a stage and leave the record that Prefect would; give its reference and the record's file."""
    reference = execute_stage(request_for_it, "load", {})
    record = records_below(request_for_it.root) / reference.key
    record.parent.mkdir()
    write_record(record, reference)
    return reference, record


def write_record(record, reference):
    record.write_text(json.dumps({"metadata": {}, "result": json.dumps(reference.to_json())}))


def test_the_key_is_the_content_key_and_a_record_that_holds_stays(request_for_it, loaded):
    reference, record = loaded
    assert key_of(request_for_it) == reference.key == stage_key(request_for_it, "load", {})
    assert record.exists()


def test_the_key_does_not_depend_on_what_a_run_is_called(request_for_it, tmp_path):
    other = replace(request_for_it, run_id="another", output_dir=str(tmp_path / "out"))
    assert key_of(other) == key_of(request_for_it)


@pytest.mark.parametrize("harm", ["artifact deleted", "artifact torn", "record torn", "record of something else"])
def test_a_record_that_does_not_hold_any_more_is_removed(request_for_it, loaded, harm):
    reference, record = loaded
    artifact = Path(reference.path)
    match harm:
        case "artifact deleted":
            artifact.unlink()
        case "artifact torn":
            artifact.write_bytes(artifact.read_bytes()[:100])
        case "record torn":
            record.write_text(record.read_text()[:100])
        case "record of something else":
            record.write_text('{"result": "[1, 2]"}')
    assert key_of(request_for_it) == reference.key
    assert not record.exists()


def test_a_provisional_artifact_is_never_served_again(request_for_it, loaded):
    reference, record = loaded
    kept = read_artifact(Path(reference.path))
    parts = KeyParts(**read_parts(kept.path))
    tables = {kept.main: read_table(kept, kept.main)}
    provisional = Store(Path(request_for_it.root)).write(parts, "tiny_library", tables, provisional_run="run")
    write_record(record, replace(reference, path=str(provisional.path), final=False))
    assert key_of(request_for_it) == reference.key
    assert not record.exists()


def test_what_has_no_key_leaves_it_to_the_task_to_say_why(request_for_it, tmp_path):
    config = tmp_path / "broken.yaml"
    config.write_text("no_such_setting: 1\n")
    assert key_of(replace(request_for_it, config=str(config))) is None
