"""What running pack code brought: probes, replays, outcomes, verdicts."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

from assay.artifacts import tables
from assay.artifacts.codec.rows import (
    PackIdentity,
    Row,
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
from assay.values import JsonValue, apply_patch, canonical_json, digest_bytes, make_patch

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    import pyarrow as pa

_NO_MORE: Final = (None, ())
_NOTHING: Final = "[]"


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


def replayed_call_rows(identity: PackIdentity, replay: Replay) -> Iterator[Row]:
    """Yield one row per executed call of an attempt."""
    for call in replay.calls:
        yield (
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


def replay_state_row(identity: PackIdentity, replay: Replay) -> Row:
    """Return the row of an attempt."""
    before = to_text(replay.state_before)
    after = canonical_json(replay.state_after) if replay.completed else None
    return (
        *identity.columns,
        replay.template_id,
        replay.task_id,
        replay.attempt,
        replay.completed,
        before,
        None if after is None else digest_bytes(after.encode()),
        None if after is None else _patch_text(replay, unchanged=before == after),
        to_text(replay.failure),
    )


def _patch_text(replay: Replay, *, unchanged: bool) -> str:
    return canonical_json([] if unchanged else make_patch(replay.state_before, replay.state_after))


def read_replays(states: Iterable[Mapping[str, Any]], calls: Iterable[Mapping[str, Any]]) -> Iterator[Replay]:
    """Read back the attempts from the rows of their two tables, which are in the same order.

    The rows of `calls` that belong to one attempt stand together; attempts without calls have none.
    """
    groups = groupby(calls, key=itemgetter("task_id", "attempt"))
    attempt, executed = next(groups, _NO_MORE)
    read = _StateReader()
    for row in states:
        made: tuple[ReplayedCall, ...] = ()
        if attempt == (row["task_id"], row["attempt"]):
            made = tuple(map(_read_call, executed))
            attempt, executed = next(groups, _NO_MORE)
        before, after = read.states(row["state_before"], row["state_patch"])
        yield Replay(
            task_id=row["task_id"],
            template_id=row["template_id"],
            attempt=row["attempt"],
            completed=row["completed"],
            calls=made,
            state_before=before,
            state_after=after,
            failure=from_text(row["failure"]),
        )


class _StateReader:
    """Reads states before and after the calls. Most episodes begin alike, so the latest state is read once."""

    def __init__(self) -> None:
        self._text: str | None = None
        self._state: JsonValue = None

    def states(self, before: str | None, patch: str | None) -> tuple[JsonValue, JsonValue]:
        """Return the states before and after, the same object when nothing has changed."""
        if before != self._text:
            self._text, self._state = before, from_text(before)
        if patch is None or patch == _NOTHING:
            return self._state, None if patch is None else self._state
        return self._state, apply_patch(self._state, from_text(patch))


def _read_call(row: Mapping[str, Any]) -> ReplayedCall:
    return ReplayedCall(
        call_index=row["call_index"],
        tool=row["tool"],
        arguments=from_text(row["arguments"]),
        result=from_text(row["result"]),
        failed=row["failed"],
        consequence_of=row["consequence_of"],
    )


def assertion_outcome_rows(identity: PackIdentity, outcomes: Iterable[AssertionOutcome]) -> Iterator[Row]:
    """Yield one row per assertion that was run. Outcomes of one attempt stand together."""
    for _, group in groupby(outcomes, key=lambda each: (each.task_id, each.attempt)):
        for position, each in enumerate(group):
            yield (
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


def read_assertion_outcomes(rows: Iterable[Mapping[str, Any]]) -> Iterator[AssertionOutcome]:
    """Read back the outcomes, in order."""
    for row in rows:
        yield AssertionOutcome(
            task_id=row["task_id"],
            template_id=row["template_id"],
            attempt=row["attempt"],
            assertion=row["assertion"],
            status=row["status"],
            detail=row["detail"],
            place=read_place(row),
            failure=from_text(row["failure"]),
        )


def verdict_row(identity: PackIdentity, verdict: InstanceVerdict) -> Row:
    """Return the row of an instance."""
    return (
        *identity.columns,
        verdict.template_id,
        verdict.task_id,
        verdict.passed,
        verdict.reason,
        verdict.diverged,
        verdict.paths,
        verdict.cause,
        canonical_json(verdict.detail),
    )


def read_verdicts(rows: Iterable[Mapping[str, Any]]) -> Iterator[InstanceVerdict]:
    """Read back the verdicts, in order."""
    for row in rows:
        yield InstanceVerdict(
            task_id=row["task_id"],
            template_id=row["template_id"],
            passed=row["passed"],
            reason=row["reason"],
            diverged=tuple(row["diverged"]),
            paths=tuple(row["paths"]),
            cause=row["cause"],
            detail=from_text(row["detail"]),
        )
