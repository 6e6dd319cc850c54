"""An artifact under way: several tables from one pass, unreadable until it is whole, gone when it is given up."""

import pytest

from assay.artifacts import table_writer
from assay.artifacts.artifact import StoreError
from assay.artifacts.keys import KeyParts
from assay.artifacts.store import Store, read_rows, read_table
from assay.artifacts.table_rows import TableRows
from assay.artifacts.tables import EXPECTED_TRACES

PARTS = KeyParts(
    stage="trace", stage_version=1, assay="a" * 64, inputs={}, pack={"tools": "c" * 64}, settings={}, modules={}
)
TABLES = ("expected_traces", "expected_calls")
IDENTITY = ("bank", "1", "f" * 64)


def trace_row(number, calls):
    return (*IDENTITY, "t", f"bank__t__{number}", "single_turn", True, None, calls)


def call_row(number, index):
    return (*IDENTITY, "t", f"bank__t__{number}", index, 0, 0, index, "look", "{}", 0)


def fill(writer, count):
    for number in range(count):
        writer.add("expected_traces", trace_row(number, number % 3))
        for index in range(number % 3):
            writer.add("expected_calls", call_row(number, index))


def files(store):
    return sorted(path.name for path in store.root.rglob("*") if path.is_file())


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store")


def test_one_pass_fills_several_tables(store, monkeypatch):
    monkeypatch.setattr(table_writer, "GROUP_ROWS", 4)
    with store.begin(PARTS, "bank", TABLES) as writer:
        fill(writer, 10)
        artifact = store.publish(writer, "bank")
    assert artifact.rows == {"expected_traces": 10, "expected_calls": 9}
    assert artifact == store.find("trace", "bank", PARTS.key)
    ids = [row["task_id"] for row in read_rows(artifact, "expected_traces")]
    assert ids == [f"bank__t__{number}" for number in range(10)]
    assert [*read_rows(artifact, "expected_calls").values("task_id", "call_index")][:3] == [
        ("bank__t__1", 0),
        ("bank__t__2", 0),
        ("bank__t__2", 1),
    ]


def test_tables_without_rows_are_empty_and_findings_without_rows_have_no_file(store):
    with store.begin(PARTS, "bank", TABLES) as writer:
        artifact = store.publish(writer, "bank")
    assert artifact.rows == {"expected_traces": 0, "expected_calls": 0}
    assert read_table(artifact, "expected_calls").num_rows == 0
    assert read_table(artifact, "findings") is None


def test_nothing_has_its_name_before_all_is_written(store):
    with store.begin(PARTS, "bank", TABLES) as writer:
        fill(writer, 10)
        writer.flush()
        assert store.find("trace", "bank", PARTS.key) is None
        assert all(name.startswith(".") and name.endswith(".tmp") for name in files(store))
        assert len(files(store)) == 2


def test_what_is_not_published_leaves_nothing(store):
    with pytest.raises(ZeroDivisionError), store.begin(PARTS, "bank", TABLES) as writer:
        fill(writer, 10)
        writer.flush()
        raise ZeroDivisionError
    assert files(store) == []


def test_cleared_rows_are_gone(store):
    with store.begin(PARTS, "bank", TABLES) as writer:
        fill(writer, 10)
        writer.clear()
        fill(writer, 2)
        artifact = store.publish(writer, "bank")
    assert artifact.rows == {"expected_traces": 2, "expected_calls": 1}
    assert len(files(store)) == 2


def test_the_bytes_do_not_depend_on_how_tables_take_turns(store, tmp_path, monkeypatch):
    monkeypatch.setattr(table_writer, "GROUP_ROWS", 4)
    other = Store(tmp_path / "other")
    with store.begin(PARTS, "bank", TABLES) as writer:
        fill(writer, 9)
        first = store.publish(writer, "bank")
    with other.begin(PARTS, "bank", TABLES) as writer:
        for number in range(9):
            for index in range(number % 3):
                writer.add("expected_calls", call_row(number, index))
        for number in range(9):
            writer.add("expected_traces", trace_row(number, number % 3))
        second = other.publish(writer, "bank")
    for table in TABLES:
        assert first.file_of(table).read_bytes() == second.file_of(table).read_bytes()


def test_a_provisional_artifact_lies_with_its_run(store):
    with store.begin(PARTS, "bank", TABLES) as writer:
        fill(writer, 3)
        artifact = store.publish(writer, "bank", provisional_run="run-1")
    assert not artifact.final
    assert store.find("trace", "bank", PARTS.key) is None
    assert artifact.path.is_relative_to(store.root / "provisional" / "run-1")
    assert len(files(store)) == 2


def test_a_folder_that_cannot_be_made_is_an_error_of_the_store(store):
    store.root.mkdir()
    (store.root / "stage=trace").write_text("in the way")
    with store.begin(PARTS, "bank", TABLES) as writer, pytest.raises(StoreError, match="cannot write the trace"):
        writer.add("expected_traces", trace_row(0, 0))


def test_a_main_table_that_cannot_get_its_name_leaves_nothing_readable(store):
    (store.folder("trace", "bank") / f"{PARTS.key}.parquet").mkdir(parents=True)
    with store.begin(PARTS, "bank", TABLES) as writer:
        fill(writer, 3)
        with pytest.raises(StoreError, match="cannot write the trace artifact"):
            store.publish(writer, "bank")
    assert store.find("trace", "bank", PARTS.key) is None
    assert [name for name in files(store) if name.endswith(".tmp")] == []


def test_rows_are_read_as_often_as_they_are_asked_for(store):
    with store.begin(PARTS, "bank", TABLES) as writer:
        fill(writer, 3)
        rows = read_rows(store.publish(writer, "bank"), "expected_traces")
    assert [*rows] == [*rows]
    assert len([*rows]) == 3


def test_a_file_that_goes_missing_is_an_error_of_the_store(store):
    with store.begin(PARTS, "bank", TABLES) as writer:
        fill(writer, 3)
        artifact = store.publish(writer, "bank")
    rows = read_rows(artifact, "expected_calls")
    artifact.file_of("expected_calls").unlink()
    with pytest.raises(StoreError, match="cannot read"):
        next(iter(rows))
    with pytest.raises(StoreError, match="has no table replays"):
        read_rows(artifact, "replays")


def test_rows_in_memory_are_rows_too():
    rows = TableRows.of_table(table_writer.make_table(EXPECTED_TRACES, [trace_row(0, 2), trace_row(1, 1)]))
    assert [*rows.values("num_tool_calls", "task_id")] == [(2, "bank__t__0"), (1, "bank__t__1")]
