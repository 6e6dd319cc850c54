"""Expected traces, their calls and their static checks."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from assay.artifacts.codec.rows import from_text
from assay.stages.records import (
    ExpectedCall,
    ExpectedTrace,
    SchemaCheck,
)
from assay.values import canonical_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from assay.artifacts.codec.rows import PackIdentity, Row


def expected_trace_row(identity: PackIdentity, trace: ExpectedTrace) -> Row:
    """Return the row of an instance, dropped or not."""
    return (
        *identity.columns,
        trace.template_id,
        trace.task_id,
        trace.turn_policy,
        trace.derived,
        trace.drop_reason,
        len(trace.calls),
    )


def expected_call_rows(identity: PackIdentity, trace: ExpectedTrace) -> Iterator[Row]:
    """Yield one row per expected call."""
    for index, call in enumerate(trace.calls):
        yield (
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


def read_expected_traces(
    traces: Iterable[Mapping[str, Any]], calls: Iterable[Mapping[str, Any]]
) -> Iterator[ExpectedTrace]:
    """Read back the traces from the rows of their two tables, which are in the same order."""
    waiting = iter(calls)
    for row in traces:
        yield ExpectedTrace(
            task_id=row["task_id"],
            template_id=row["template_id"],
            turn_policy=row["turn_policy"],
            calls=tuple(map(_read_call, islice(waiting, row["num_tool_calls"]))),
            drop_reason=row["drop_reason"],
        )


def _read_call(row: Mapping[str, Any]) -> ExpectedCall:
    return ExpectedCall(
        turn_index=row["turn_index"],
        call_group=row["call_group"],
        position_in_group=row["position_in_group"],
        function_name=row["function_name"],
        arguments=from_text(row["arguments"]),
        milestone=row["milestone"],
    )


def schema_check_row(identity: PackIdentity, check: SchemaCheck) -> Row:
    """Return the row of an instance's check."""
    return (
        *identity.columns,
        check.template_id,
        check.task_id,
        check.valid,
        check.reject_reason,
        canonical_json(list(check.failures)),
    )


def read_schema_checks(rows: Iterable[Mapping[str, Any]]) -> Iterator[SchemaCheck]:
    """Read back the schema checks, in order."""
    for row in rows:
        yield SchemaCheck(
            task_id=row["task_id"],
            template_id=row["template_id"],
            reject_reason=row["reject_reason"],
            failures=tuple(from_text(row["failures"])),
        )
