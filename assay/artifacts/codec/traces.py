"""Expected traces, their calls and their static checks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from assay.artifacts import tables
from assay.artifacts.codec.rows import (
    PackIdentity,
    make_table,
)
from assay.stages.records import (
    ExpectedCall,
    ExpectedTrace,
    SchemaCheck,
)
from assay.values import canonical_json

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa


def expected_traces_table(identity: PackIdentity, traces: Iterable[ExpectedTrace]) -> pa.Table:
    """One row per instance, drops included."""
    rows = (
        (
            *identity.columns,
            each.template_id,
            each.task_id,
            each.turn_policy,
            each.derived,
            each.drop_reason,
            len(each.calls),
        )
        for each in traces
    )
    return make_table(tables.EXPECTED_TRACES, rows)


def expected_calls_table(identity: PackIdentity, traces: Iterable[ExpectedTrace]) -> pa.Table:
    """One row per expected call."""
    rows = (
        (
            *identity.columns,
            trace.template_id,
            trace.task_id,
            index,
            call.turn_index,
            call.call_group,
            call.position_in_group,
            call.function_name,
            canonical_json(call.arguments),
            call.milestone,
        )
        for trace in traces
        for index, call in enumerate(trace.calls)
    )
    return make_table(tables.EXPECTED_CALLS, rows)


def read_expected_traces(traces: pa.Table, calls: pa.Table) -> tuple[ExpectedTrace, ...]:
    """Read back the traces from their two tables."""
    by_task: dict[str, list[ExpectedCall]] = {}
    for row in calls.to_pylist():
        call = ExpectedCall(
            turn_index=row["turn_index"],
            call_group=row["call_group"],
            position_in_group=row["position_in_group"],
            function_name=row["function_name"],
            arguments=json.loads(row["arguments"]),
            milestone=row["milestone"],
        )
        by_task.setdefault(row["task_id"], []).append(call)
    return tuple(
        ExpectedTrace(
            task_id=row["task_id"],
            template_id=row["template_id"],
            turn_policy=row["turn_policy"],
            calls=tuple(by_task.get(row["task_id"], ())),
            drop_reason=row["drop_reason"],
        )
        for row in traces.to_pylist()
    )


def schema_checks_table(identity: PackIdentity, checks: Iterable[SchemaCheck]) -> pa.Table:
    """One row per instance."""
    rows = (
        (
            *identity.columns,
            each.template_id,
            each.task_id,
            each.valid,
            each.reject_reason,
            canonical_json(list(each.failures)),
        )
        for each in checks
    )
    return make_table(tables.SCHEMA_CHECKS, rows)


def read_schema_checks(table: pa.Table) -> tuple[SchemaCheck, ...]:
    """Read back the schema checks."""
    return tuple(
        SchemaCheck(
            task_id=row["task_id"],
            template_id=row["template_id"],
            reject_reason=row["reject_reason"],
            failures=tuple(json.loads(row["failures"])),
        )
        for row in table.to_pylist()
    )
