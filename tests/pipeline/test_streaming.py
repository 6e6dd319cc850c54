"""Stages about instances read no further than they write, and join what belongs to one task."""

from dataclasses import replace
from pathlib import Path

import pytest

from assay.artifacts.ledger import DIRECT
from assay.artifacts.store import read_artifact, read_rows, read_table
from assay.artifacts.table_rows import TableRows
from assay.pipeline import PIPELINE, StageContext, StageOutput, stage_named
from assay.pipeline.tasks import executed, planned, proven
from assay.runner import Run, RunRequest
from tests.support.pack_files import edit
from tests.support.packs import copy_of_tiny_library

INSTANCES = 12
ROWS_A_BATCH = 3


class Counted:
    """The rows of a table in short batches, of which it counts how many were read."""

    def __init__(self, table):
        self.batches = 0
        self._table = table
        self.rows = TableRows(self._read)

    def _read(self, columns):
        table = self._table if columns is None else self._table.select(columns)
        for batch in table.to_batches(ROWS_A_BATCH):
            self.batches += 1
            yield batch


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A context with the tables of a run over a dozen instances."""
    folder = tmp_path_factory.mktemp("streaming")
    pack = copy_of_tiny_library(folder / "pack")
    edit(pack / "validate.yaml", "tasks_per_category: 8", f"tasks_per_category: {INSTANCES}")
    edit(pack / "validate.yaml", "../../.demo/tiny_library", "../out")
    request = RunRequest(config=str(pack / "validate.yaml"), root=str(folder / "store"), exhaustive=True)
    with Run(request) as run:
        run.begin(DIRECT)
        references = {}
        for stage in PIPELINE[:-1]:
            references[stage.name] = run.execute(stage, references)
        yield (
            StageContext(
                loaded=run.loaded,
                config=run.config,
                identity=run.identity,
                tables={
                    table: read_rows(read_artifact(Path(reference.path)), table)
                    for name, reference in references.items()
                    for table in stage_named(name).tables
                },
                findings=dict.fromkeys(references, ()),
                engine_source=lambda: run.engine,
            ),
            {name: read_artifact(Path(each.path)) for name, each in references.items()},
        )


def counted(finished):
    """Return the context over counted tables, and these by name."""
    context, artifacts = finished
    tables = {
        table: Counted(read_table(artifact, table))
        for artifact in artifacts.values()
        for table in stage_named(artifact.stage).tables
    }
    return replace(context, tables={name: each.rows for name, each in tables.items()}), tables


def drained(stream):
    """Return the rows of a stage by table, and what it ends with."""
    rows = {}
    while True:
        try:
            table, row = next(stream)
        except StopIteration as end:
            return rows, end.value
        rows.setdefault(table, []).append(row)


@pytest.mark.parametrize("stage", ["plan", "render", "schema_check", "compare"])
def test_the_first_row_is_there_before_the_second_batch_is_read(stage, finished):
    context, tables = counted(finished)
    stream = stage_named(stage).compute(context)
    next(stream)
    read = {name: each.batches for name, each in tables.items() if each.batches}
    assert read
    assert max(read.values()) <= 2
    stream.close()


@pytest.mark.parametrize("stage", ["plan", "render", "trace", "schema_check", "replay", "assert", "compare"])
def test_a_stage_makes_the_rows_again_that_are_in_the_store(stage, finished):
    context, artifacts = finished
    rows, output = drained(stage_named(stage).compute(context))
    assert isinstance(output, StageOutput)
    assert output.findings == ()
    for table, made in rows.items():
        stored = [tuple(row.values()) for row in read_rows(artifacts[stage], table)]
        assert len(made) == len(stored) >= INSTANCES // 3
        assert [row[3:5] for row in made] == [row[3:5] for row in stored]


def test_every_stage_reads_the_same_tasks_in_the_same_order(finished):
    context, _ = finished
    ids = [each.task_id for each in proven(context)]
    assert len(ids) == len(set(ids)) == INSTANCES
    assert [instance.task_id for instance, plan in planned(context) if plan.task_id == instance.task_id] == ids
    assert [each.instance.task_id for each in executed(context)] == ids
    assert all(each.trace.task_id == each.plan.task_id == each.instance.task_id for each in executed(context))


def test_of_instances_with_the_same_id_that_follow_each_other_one_is_proven(finished):
    context, artifacts = finished
    table = read_table(artifacts["bind"], "task_instances")
    twice = table.take([0, 0, 1, *range(2, table.num_rows)])
    doubled = replace(context, tables={**context.tables, "task_instances": TableRows.of_table(twice)})
    assert [each.task_id for each in proven(doubled)] == [each.task_id for each in proven(context)]
    assert [each.instance for each in executed(doubled)] == [each.instance for each in executed(context)]


def test_without_exhaustive_one_task_of_each_template_is_executed(finished):
    context, _ = finished
    one_each = replace(context, config=replace(context.config, exhaustive=False))
    chosen = [each.instance for each in executed(one_each)]
    assert len(chosen) == len({each.template_id for each in chosen}) == len(context.pack.templates)
    assert all(each.representative for each in chosen)
