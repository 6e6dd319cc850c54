from __future__ import annotations

from typing import NamedTuple

import pytest

from assay.stages.by_task import TaskReader


class Record(NamedTuple):
    task_id: str
    number: int


RECORDS = [Record("a", 1), Record("a", 2), Record("c", 3)]


def test_records_of_one_task_come_together():
    assert TaskReader(RECORDS).take("a") == (Record("a", 1), Record("a", 2))


def test_a_task_without_records_is_empty_and_keeps_the_next_one_waiting():
    reader = TaskReader(RECORDS)
    reader.take("a")
    assert reader.take("b") == ()
    assert reader.take("c") == (Record("c", 3),)
    assert reader.take("d") == ()


def test_seek_passes_over_tasks_before_the_one_asked_for():
    assert TaskReader(RECORDS).seek("c") == (Record("c", 3),)


def test_seek_says_which_task_is_not_there():
    with pytest.raises(LookupError, match="no record of task z"):
        TaskReader(RECORDS).seek("z")


def test_the_stream_is_read_no_further_than_needed():
    seen = []

    def stream():
        for record in RECORDS:
            seen.append(record.number)
            yield record

    TaskReader(stream()).take("a")
    assert seen == [1, 2, 3]
