from __future__ import annotations

from typing import NamedTuple

import pytest

from assay.stages.by_task import TaskReader, each_once, pair_up, unzipped


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


def test_one_record_at_a_time_keeps_instances_with_the_same_id_apart():
    reader = TaskReader([Record("a", 1), Record("b", 2), Record("a", 3)])
    assert [reader.take_one(task) for task in ("a", "x", "b", "a", "a")] == [
        Record("a", 1),
        None,
        Record("b", 2),
        Record("a", 3),
        None,
    ]


def test_the_rest_is_what_nobody_took():
    reader = TaskReader(RECORDS)
    assert reader.take_one("a") == Record("a", 1)
    assert reader.take_one("c") is None
    assert [*reader.rest()] == RECORDS[1:]


def test_pairs_leave_out_tasks_that_the_second_stream_leaves_out():
    firsts = [Record(task, number) for number, task in enumerate("abcd")]
    seconds = [Record(task, 10) for task in "bd"]
    assert [*pair_up(firsts, seconds)] == [(firsts[1], seconds[0]), (firsts[3], seconds[1])]
    assert [*pair_up(firsts, [])] == []


def test_a_task_does_not_follow_itself():
    records = [Record(task, number) for number, task in enumerate("aabba")]
    assert [each.number for each in each_once(records)] == [0, 2, 4]
    assert [*each_once([])] == []


def test_columns_of_a_stream_are_read_in_step():
    seen = []

    def rows():
        for number in range(3):
            seen.append(number)
            yield number, str(number)

    numbers, texts = unzipped(rows(), 2)
    assert (next(numbers), next(texts)) == (0, "0")
    assert seen == [0]
    assert [*zip(numbers, texts, strict=True)] == [(1, "1"), (2, "2")]
