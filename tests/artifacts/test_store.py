import json
import os
import stat

import pyarrow as pa
import pytest

from assay.artifacts.keys import KeyParts, source_digest
from assay.artifacts.store import Store, StoreError, read_artifact, read_parts, read_table, table_files

PARTS = {"assay": "a" * 64, "inputs": {"load": "b" * 64}, "pack": {"tools": "c" * 64}, "settings": {}, "modules": {}}


def key_parts(**changed):
    return KeyParts(**{"stage": "bind", "stage_version": 1, **PARTS, **changed})


def tables(**more):
    main = pa.table({"n": [1, 2, 3]})
    return {"task_instances": main, **more}


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store")


def test_an_artifact_is_found_again_by_its_key(store):
    parts = key_parts()
    written = store.write(parts, "bank", tables(findings=pa.table({"code": ["x"]})))
    found = store.find("bind", "bank", parts.key)
    assert found == written
    assert found.rows == {"task_instances": 3, "findings": 1}
    assert read_table(found, "task_instances").column("n").to_pylist() == [1, 2, 3]
    assert read_table(found, "findings").column("code").to_pylist() == ["x"]


def test_empty_findings_leave_no_file(store):
    written = store.write(key_parts(), "bank", tables(findings=pa.table({"code": pa.array([], pa.string())})))
    assert [path.name for path in written.path.parent.iterdir()] == [f"{written.key}.parquet"]
    assert read_table(written, "findings") is None


def test_the_same_key_gives_the_same_bytes(store, tmp_path):
    parts = key_parts()
    first = store.write(parts, "bank", tables(extra=pa.table({"x": ["y"]})))
    second = Store(tmp_path / "other").write(parts, "bank", tables(extra=pa.table({"x": ["y"]})))
    for table in ("task_instances", "extra"):
        assert first.file_of(table).read_bytes() == second.file_of(table).read_bytes()


@pytest.mark.parametrize(
    "changed",
    [
        {"stage_version": 2},
        {"assay": "d" * 64},
        {"inputs": {"load": "d" * 64}},
        {"pack": {"tools": "d" * 64}},
        {"settings": {"random_seed": 1}},
        {"modules": {"bfcl-eval": "1"}},
    ],
)
def test_each_part_changes_the_key(changed):
    assert key_parts(**changed).key != key_parts().key


def test_the_parts_of_a_key_can_be_read_back(store):
    parts = key_parts(settings={"random_seed": 7})
    written = store.write(parts, "bank", tables())
    assert read_parts(written.path) == parts.to_json()


@pytest.mark.parametrize("damage", ["truncate", "delete", "swap", "garbage"])
@pytest.mark.parametrize("victim", ["task_instances", "extra"])
def test_a_damaged_artifact_is_absent(store, damage, victim):
    parts = key_parts()
    written = store.write(parts, "bank", tables(extra=pa.table({"x": ["y"]})))
    other = store.write(key_parts(stage_version=9), "bank", tables(extra=pa.table({"x": ["z"]})))
    file = written.file_of(victim)
    if damage == "truncate":
        file.write_bytes(file.read_bytes()[:-7])
    elif damage == "delete":
        file.unlink()
    elif damage == "swap":
        file.write_bytes(other.file_of(victim).read_bytes())
    else:
        file.write_bytes(os.urandom(200))
    assert store.find("bind", "bank", parts.key) is None
    assert store.write(parts, "bank", tables(extra=pa.table({"x": ["y"]}))) == store.find("bind", "bank", parts.key)


def test_a_provisional_artifact_is_never_found_by_key(store):
    parts = key_parts()
    written = store.write(parts, "bank", tables(), provisional_run="run-1")
    assert store.find("bind", "bank", parts.key) is None
    assert read_artifact(written.path) == written
    assert not written.final


@pytest.mark.parametrize("pack_id", ["..", ".", "", "a/b", "x" * 500, "bank/../../etc", "número", "\udc80", "a\nb"])
def test_any_pack_id_stays_inside_the_store(store, pack_id):
    written = store.write(key_parts(), pack_id, tables())
    assert written.path.resolve().is_relative_to(store.root.resolve())
    assert written.path.parent.parent.name == "stage=bind"
    assert store.find("bind", pack_id, written.key) == written


def test_different_long_pack_ids_do_not_meet(store):
    assert store.folder("bind", "x" * 500) != store.folder("bind", "x" * 501)


def test_a_store_that_cannot_be_written_says_so_and_leaves_nothing(tmp_path):
    blocked = tmp_path / "store"
    blocked.write_text("a file where the folder should be")
    with pytest.raises(StoreError, match="cannot write the bind artifact"):
        Store(blocked).write(key_parts(), "bank", tables())


def test_no_temporary_file_is_left(store):
    store.write(key_parts(), "bank", tables(extra=pa.table({"x": ["y"]})))
    assert not [path for path in store.root.rglob("*") if path.name.endswith(".tmp")]


def test_table_files_lists_what_an_artifact_holds(store):
    written = store.write(key_parts(), "bank", tables(extra=pa.table({"x": ["y"]})))
    assert table_files(written.path) == {"task_instances": written.path, "extra": written.file_of("extra")}
    assert table_files(written.file_of("extra")) == {}


def test_the_source_digest_is_a_digest():
    assert len(source_digest()) == 64
    assert source_digest() == source_digest()


def test_parts_are_json(store):
    assert json.loads(json.dumps(key_parts().to_json()))["stage"] == "bind"
    assert stat.S_ISDIR(store.write(key_parts(), "bank", tables()).path.parent.stat().st_mode)
