"""Taking in what a stage makes: its rows into the artifact under way as they come, its findings at the end."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from assay.artifacts.artifact import FINDINGS
from assay.artifacts.codec import findings_table
from assay.pack.collector import bounded
from assay.pipeline import StageOutput

if TYPE_CHECKING:
    from assay.artifacts.artifact_writer import ArtifactWriter
    from assay.artifacts.codec import PackIdentity
    from assay.pipeline import RowStream, Stage


def take_in(stage: Stage, made: StageOutput | RowStream, identity: PackIdentity, writer: ArtifactWriter) -> bool:
    """Write what a stage makes, and say whether it is final.

    A stage whose tables are long computes while they are written, so whatever it raises is raised here.
    """
    output = made if isinstance(made, StageOutput) else _drained(made, writer)
    tables = {FINDINGS: findings_table(identity, {stage.name: bounded(output.findings)}), **output.tables}
    for name, table in tables.items():
        writer.add_table(name, table)
    writer.flush()
    return output.final


def _drained(rows: RowStream, writer: ArtifactWriter) -> StageOutput:
    with closing(rows):
        while True:
            try:
                table, row = next(rows)
            except StopIteration as end:
                output: StageOutput = end.value
                return output
            writer.add(table, row)
