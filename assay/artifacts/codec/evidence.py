"""What running pack code brought: probes, replays, outcomes, verdicts."""

from __future__ import annotations

import json
from itertools import groupby
from typing import TYPE_CHECKING, Any

from assay.artifacts import tables
from assay.artifacts.codec.rows import (
    PackIdentity,
    from_text,
    make_table,
    place_columns,
    read_place,
    to_text,
)
from assay.stages.records import (
    AssertionOutcome,
    InstanceVerdict,
    ProbeAttempt,
    Replay,
    ReplayedCall,
)
from assay.values import JsonValue, apply_patch, canonical_json, digest, make_patch

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pyarrow as pa


def probes_table(identity: PackIdentity, attempts: Iterable[ProbeAttempt]) -> pa.Table:
    """One row per validation case and attempt."""
    rows = (
        (
            *identity.columns,
            each.case_id,
            each.tool,
            each.attempt,
            each.group,
            canonical_json(each.arguments),
            to_text(each.result),
            each.result_class,
            each.error_code,
            each.state_changed,
            to_text(each.failure),
        )
        for each in attempts
    )
    return make_table(tables.PROBES, rows)


def replays_table(identity: PackIdentity, replays: Iterable[Replay]) -> pa.Table:
    """One row per executed call of every attempt."""
    rows = (
        (
            *identity.columns,
            replay.template_id,
            replay.task_id,
            replay.attempt,
            call.call_index,
            call.tool,
            canonical_json(call.arguments),
            to_text(call.result),
            call.failed,
            call.consequence_of,
        )
        for replay in replays
        for call in replay.calls
    )
    return make_table(tables.REPLAYS, rows)


def replay_states_table(identity: PackIdentity, replays: Iterable[Replay]) -> pa.Table:
    """One row per attempt."""
    return make_table(tables.REPLAY_STATES, (_state_row(identity, each) for each in replays))


def _state_row(identity: PackIdentity, replay: Replay) -> tuple[Any, ...]:
    reached = replay.completed
    patch = canonical_json(make_patch(replay.state_before, replay.state_after)) if reached else None
    return (
        *identity.columns,
        replay.template_id,
        replay.task_id,
        replay.attempt,
        replay.completed,
        to_text(replay.state_before),
        digest(replay.state_after) if reached else None,
        patch,
        to_text(replay.failure),
    )


def read_replays(states: pa.Table, calls: pa.Table) -> tuple[Replay, ...]:
    """Read back the attempts from their two tables."""
    by_attempt: dict[tuple[str, int], list[ReplayedCall]] = {}
    for row in calls.to_pylist():
        call = ReplayedCall(
            call_index=row["call_index"],
            tool=row["tool"],
            arguments=json.loads(row["arguments"]),
            result=from_text(row["result"]),
            failed=row["failed"],
            consequence_of=row["consequence_of"],
        )
        by_attempt.setdefault((row["task_id"], row["attempt"]), []).append(call)
    return tuple(
        _read_replay(row, tuple(by_attempt.get((row["task_id"], row["attempt"]), ()))) for row in states.to_pylist()
    )


def _read_replay(row: Mapping[str, Any], calls: tuple[ReplayedCall, ...]) -> Replay:
    before: JsonValue = from_text(row["state_before"])
    patch = from_text(row["state_patch"])
    return Replay(
        task_id=row["task_id"],
        template_id=row["template_id"],
        attempt=row["attempt"],
        completed=row["completed"],
        calls=calls,
        state_before=before,
        state_after=None if patch is None else apply_patch(before, patch),
        failure=from_text(row["failure"]),
    )


def assertion_outcomes_table(identity: PackIdentity, outcomes: Iterable[AssertionOutcome]) -> pa.Table:
    """One row per assertion that was run."""
    grouped = groupby(outcomes, key=lambda each: (each.task_id, each.attempt))
    rows = (
        (
            *identity.columns,
            each.template_id,
            each.task_id,
            each.attempt,
            position,
            each.assertion,
            each.status,
            each.detail,
            *place_columns(each.place),
            to_text(each.failure),
        )
        for _, group in grouped
        for position, each in enumerate(group)
    )
    return make_table(tables.ASSERTION_OUTCOMES, rows)


def read_assertion_outcomes(table: pa.Table) -> tuple[AssertionOutcome, ...]:
    """Read back the outcomes, in order."""
    return tuple(
        AssertionOutcome(
            task_id=row["task_id"],
            template_id=row["template_id"],
            attempt=row["attempt"],
            assertion=row["assertion"],
            status=row["status"],
            detail=row["detail"],
            place=read_place(row),
            failure=from_text(row["failure"]),
        )
        for row in table.to_pylist()
    )


def verdicts_table(identity: PackIdentity, verdicts: Iterable[InstanceVerdict]) -> pa.Table:
    """One row per instance."""
    rows = (
        (
            *identity.columns,
            each.template_id,
            each.task_id,
            each.passed,
            each.reason,
            each.diverged,
            each.paths,
            each.cause,
            canonical_json(each.detail),
        )
        for each in verdicts
    )
    return make_table(tables.VERDICTS, rows)


def read_verdicts(table: pa.Table) -> tuple[InstanceVerdict, ...]:
    """Read back the verdicts, in order."""
    return tuple(
        InstanceVerdict(
            task_id=row["task_id"],
            template_id=row["template_id"],
            passed=row["passed"],
            reason=row["reason"],
            diverged=tuple(row["diverged"]),
            paths=tuple(row["paths"]),
            cause=row["cause"],
            detail=json.loads(row["detail"]),
        )
        for row in table.to_pylist()
    )
