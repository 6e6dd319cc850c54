"""Batches on a root in an object store: two at once from two machines, and what Prefect's page says of a third."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from assay.pipeline import PIPELINE
from assay.runner import carry_out
from flows.requests import requests_for
from flows.validate_batch import validate_batch
from tests.support.object_store import CREDENTIALS, SECRET, object_store
from tests.support.packs import UNKNOWN_POLICY, copy_of_tiny_library
from tests.support.tables import tables_below

pytestmark = pytest.mark.xdist_group("prefect")

ASSAY = "import sys; from flows.command import main; sys.exit(main())"


@pytest.fixture(scope="module")
def bucket():
    with object_store() as store:
        yield store


@pytest.fixture(scope="module")
def packs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("packs")
    red = copy_of_tiny_library(
        folder / "red", ("manifest.yaml", "pack_id: tiny_library", "pack_id: red"), UNKNOWN_POLICY
    )
    return [copy_of_tiny_library(folder / "good"), red]


@pytest.fixture(scope="module")
def two_at_once(prefect_api, bucket, packs, tmp_path_factory):
    """Run the same batch from two machines at once; give what each has said, and the environment of a third."""
    folder = tmp_path_factory.mktemp("machines")
    command = [sys.executable, "-c", ASSAY, "batch", *map(str, packs), "--root", bucket.root("b"), "--json"]
    environment = {**os.environ, **CREDENTIALS, "PREFECT_API_URL": prefect_api}
    running = [
        subprocess.Popen(
            command,
            env={**environment, "XDG_CACHE_HOME": str(folder / name)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in ("one", "two")
    ]
    ended = [(*process.communicate(timeout=180), process.returncode) for process in running]
    return ended, folder


def test_both_reach_the_verdicts(two_at_once):
    for out, errors, code in two_at_once[0]:
        assert code == 2, errors
        statuses = {each["pack_id"]: each["status"] for each in json.loads(out)["packs"]}
        assert statuses == {"tiny_library": "gold", "red": "not_gold"}
        assert SECRET not in out + errors


def test_the_tables_are_byte_for_byte_those_of_a_folder(two_at_once, bucket, packs, tmp_path):
    for request in requests_for(packs, root=tmp_path):
        carry_out(request)
    assert bucket.tables("b") == tables_below(tmp_path)


def test_a_third_machine_is_served_and_the_page_says_so(two_at_once, bucket, packs, monkeypatch):
    for name, value in {**CREDENTIALS, "XDG_CACHE_HOME": str(two_at_once[1] / "three")}.items():
        monkeypatch.setenv(name, value)
    before = bucket.tables("b")
    state = validate_batch(packs=[str(each) for each in packs], root=bucket.root("b"), return_state=True)
    assert state.name == "NotGold"
    summary = state.result()
    assert [each["cached_stages"] for each in summary["packs"]] == [len(PIPELINE)] * 2
    assert bucket.tables("b") == before
    assert not [name for name in bucket.contents("b") if name.startswith("prefect/")]
