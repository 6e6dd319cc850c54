"""A store in an object store: what other machines find there, and what happens to damage."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pyarrow as pa
import pytest

from assay.artifacts.keys import KeyParts
from assay.artifacts.ledger import new_run_id
from assay.artifacts.places import ledger_at, store_at
from assay.artifacts.shared.place import shared_place
from assay.artifacts.store import StoreError, read_table
from assay.pipeline import PIPELINE
from assay.runner import RunRequest, StageCrash, carry_out
from flows.command.main import main
from tests.support.object_store import LOOPBACK, SECRET
from tests.support.packs import TINY_LIBRARY
from tests.support.tables import tables_below

pytestmark = pytest.mark.xdist_group("object store")

STAGES = [stage.name for stage in PIPELINE]


@pytest.fixture(scope="module")
def local_tables(tmp_path_factory):
    root = tmp_path_factory.mktemp("local")
    carry_out(RunRequest(pack=str(TINY_LIBRARY), root=str(root)))
    return tables_below(root)


@pytest.fixture
def filled(bucket, machine, local_tables, request):
    """Give the name of a root that holds the artifacts of a run."""
    prefix = f"{request.node.name}/store".replace("[", "-").replace("]", "")
    for name, data in sorted(local_tables.items(), key=lambda each: -each[0].count(".")):
        bucket.put(prefix, name, data)
    return prefix


def statuses(bucket, prefix):
    """Carry a run out; return stage -> status, as the ledger has it."""
    run_id = new_run_id()
    root = bucket.root(prefix)
    assert carry_out(RunRequest(pack=str(TINY_LIBRARY), root=root, run_id=run_id)).status == "gold"
    return {stage: record["status"] for stage, record in ledger_at(root).read_stages(run_id).items()}


def test_a_run_leaves_the_same_tables_as_in_a_folder_and_others_find_them(bucket, machine, local_tables):
    assert set(statuses(bucket, "plain").values()) == {"computed"}
    assert bucket.tables("plain") == local_tables
    machine("second machine")
    assert set(statuses(bucket, "plain").values()) == {"cached"}
    assert bucket.tables("plain") == local_tables


def test_what_is_in_a_root_without_a_ledger_is_found(bucket, filled):
    assert set(statuses(bucket, filled).values()) == {"cached"}


@pytest.mark.parametrize("part", ["main", "sibling"])
@pytest.mark.parametrize("harm", ["truncated", "deleted", "replaced"])
def test_a_damaged_artifact_is_computed_again_and_nothing_else(bucket, machine, local_tables, filled, part, harm):
    (victim,) = [
        name for name in local_tables if name.startswith("stage=replay/") and (name.count(".") == 1) == (part == "main")
    ]
    other = next(data for name, data in local_tables.items() if name.startswith("stage=load/"))
    if part == "main":
        assert set(statuses(bucket, filled).values()) == {"cached"}  # the mirror has all of it, which must not help
    if harm == "deleted":
        bucket.delete(filled, victim)
    else:
        bucket.put(filled, victim, local_tables[victim][:-100] if harm == "truncated" else other)
    assert statuses(bucket, filled) == {name: "computed" if name == "replay" else "cached" for name in STAGES}
    assert bucket.tables(filled) == local_tables
    machine("another machine")
    assert set(statuses(bucket, filled).values()) == {"cached"}


ONE_RUN = """
import sys
from assay.runner import RunRequest, carry_out
print(carry_out(RunRequest(pack=sys.argv[1], root=sys.argv[2])).status)
"""


def test_two_machines_may_fill_one_root_at_once(bucket, tmp_path, local_tables):
    command = [sys.executable, "-c", ONE_RUN, str(TINY_LIBRARY), bucket.root("crowded")]
    running = [
        subprocess.Popen(
            command,
            env={**os.environ, "XDG_CACHE_HOME": str(tmp_path / name)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in ("one", "two")
    ]
    for process in running:
        assert process.communicate(timeout=120) == ("gold\n", "")
    assert bucket.tables("crowded") == local_tables


def test_the_first_complete_artifact_stays(bucket, machine):
    """Same key, same bytes; were they ever not the same, what others have read already must stay."""
    parts = KeyParts(stage="load", stage_version=1, assay="0", inputs={}, pack={}, settings={}, modules={})
    first = store_at(bucket.root("first")).write(parts, "pack", {"packs": pa.table({"number": [1]})})
    before = bucket.contents("first")
    machine("a later machine")
    later = store_at(bucket.root("first")).write(parts, "pack", {"packs": pa.table({"number": [1, 2]})})
    assert bucket.contents("first") == before
    assert (later.key, later.rows) == (first.key, {"packs": 1})
    assert read_table(later, "packs").to_pylist() == [{"number": 1}]


def test_credentials_are_nowhere(bucket, machine, capsys):
    assert main(["validate", str(TINY_LIBRARY), "--root", bucket.root("secret")]) == 0
    shown = capsys.readouterr()
    assert SECRET not in shown.out + shown.err
    contents = bucket.contents("secret")
    assert any(name.startswith("runs/") for name in contents)
    assert not [name for name, data in contents.items() if SECRET.encode() in data]
    kept = [file for file in shared_place(bucket.root("secret")).mirror.rglob("*") if file.is_file()]
    assert kept
    assert not [file for file in kept if SECRET.encode() in file.read_bytes()]


def test_people_ask_such_a_root_as_any_other(bucket, machine, capsys):
    root = bucket.root("asked")
    assert main(["validate", str(TINY_LIBRARY), "--root", root, "--json"]) == 0
    capsys.readouterr()
    machine("an analyst's machine")

    assert main(["runs", "--root", root, "--json"]) == 0
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    assert run["status"] == "gold"
    assert main(["show", run["run_id"], "--root", root]) == 0
    shown = capsys.readouterr().out
    assert all(stage in shown for stage in STAGES)
    assert "task_instances" in shown
    for table in ("verdicts", "all_verdicts"):
        assert main(["sql", f"select count(*) rows from {table}", "--root", root, "--format", "json"]) == 0
        assert json.loads(capsys.readouterr().out)[0]["rows"] > 0
    assert main(["sql", "select stage, path from stages", "--root", root, "--format", "json"]) == 0
    paths = [each["path"] for each in json.loads(capsys.readouterr().out)]
    assert all(path.startswith("s3://bucket/asked/stage=") for path in paths)


def test_a_query_sees_nothing_but_the_mirror(bucket, machine, tmp_path, capsys):
    root = bucket.root("confined")
    assert main(["validate", str(TINY_LIBRARY), "--root", root]) == 0
    other = tmp_path / "other.csv"
    other.write_text("a\n1\n")
    for place in (str(other), "s3://bucket/confined/runs/x.csv"):
        assert main(["sql", f"from read_csv('{place}')", "--root", root]) == 1
        assert "Permission" in capsys.readouterr().err


def test_an_endpoint_that_does_not_answer_is_a_fault_of_the_machine(machine):
    root = f"s3://bucket/gone?endpoint_override={LOOPBACK}:9&scheme=http&region=us-east-1"
    with pytest.raises(StageCrash, match="the store s3://bucket/gone cannot be"):
        carry_out(RunRequest(pack=str(TINY_LIBRARY), root=root))
    with pytest.raises(StoreError, match="the store s3://bucket/gone cannot be read"):
        store_at(root).find("load", "tiny_library", "0" * 64)


def test_snapshots_are_only_in_the_mirror(bucket, machine):
    statuses(bucket, "snapshots")
    assert not [name for name in bucket.contents("snapshots") if name.startswith("snapshots/")]
    assert [each for each in store_at(bucket.root("snapshots")).snapshots.iterdir() if each.is_dir()]
