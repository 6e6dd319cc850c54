"""Rows become row groups: bounded, the same for the same rows, and nothing is kept of a table that was given up."""

import io
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assay.artifacts import table_writer
from assay.artifacts.table_writer import TableWriter, make_table
from assay.artifacts.tables import CHECKS

FULL = Path("/dev/full")
NAMES = pa.schema([pa.field("n", pa.int32(), nullable=False), pa.field("text", pa.string())])


def written(rows, schema=NAMES):
    stream = io.BytesIO()
    writer = TableWriter(stream, "names", schema)
    for row in rows:
        writer.add(row)
    writer.close({"who": "a test"})
    return stream.getvalue(), writer.rows


def group_sizes(data):
    metadata = pq.ParquetFile(io.BytesIO(data)).metadata
    return [metadata.row_group(index).num_rows for index in range(metadata.num_row_groups)]


@pytest.mark.parametrize(("count", "groups"), [(0, []), (1, [1]), (3, [3]), (4, [3, 1]), (6, [3, 3]), (7, [3, 3, 1])])
def test_rows_are_written_in_groups(count, groups, monkeypatch):
    monkeypatch.setattr(table_writer, "GROUP_ROWS", 3)
    data, rows = written((number, "x") for number in range(count))
    assert group_sizes(data) == groups
    assert rows == count
    assert [each["n"] for each in pq.read_table(io.BytesIO(data)).to_pylist()] == list(range(count))


def test_long_texts_make_short_groups(monkeypatch):
    monkeypatch.setattr(table_writer, "GROUP_TEXT", 10)
    data, _ = written([(0, "12345"), (1, "12345"), (2, "1" * 50), (3, None), (4, "123456789"), (5, "1")])
    assert group_sizes(data) == [2, 1, 3]


def test_the_same_rows_give_the_same_bytes(monkeypatch):
    monkeypatch.setattr(table_writer, "GROUP_ROWS", 4)
    rows = [(number, f"text {number}") for number in range(11)]
    assert written(rows) == written(iter(rows))


def test_facts_stand_in_the_metadata():
    data, _ = written([(1, "x")])
    assert pq.read_metadata(io.BytesIO(data)).metadata[b"who"] == b"a test"


def test_a_null_where_none_may_be_is_refused_when_its_group_is_written(monkeypatch):
    monkeypatch.setattr(table_writer, "GROUP_ROWS", 2)
    writer = TableWriter(io.BytesIO(), "names", NAMES)
    writer.add((None, "x"))
    with pytest.raises(ValueError, match=r"names\.n holds null where none may be"):
        writer.add((1, "y"))
    writer.abandon()


def test_a_whole_table_stands_between_rows():
    stream = io.BytesIO()
    writer = TableWriter(stream, "names", NAMES)
    writer.add((1, "x"))
    writer.add_table(pa.Table.from_pylist([{"n": 2, "text": None}, {"n": 3, "text": "z"}], schema=NAMES))
    writer.add((4, "w"))
    writer.close({})
    assert pq.read_table(stream).column("n").to_pylist() == [1, 2, 3, 4]
    assert writer.rows == 4


@pytest.mark.skipif(not FULL.exists(), reason="the system has no device that is always full")
def test_a_full_disk_is_an_error_once_and_giving_up_is_quiet():
    with FULL.open("wb", buffering=0) as stream, pytest.raises(OSError, match="No space left"):
        writer = TableWriter(stream, "names", NAMES)
        try:
            writer.add((1, "x"))
            writer.close({})
        finally:
            writer.abandon()


def test_a_table_in_memory_has_the_columns_of_its_schema():
    assert make_table(CHECKS, []).schema.equals(CHECKS.arrow)
