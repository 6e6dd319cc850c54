"""Judged mutants: rows and back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from assay.artifacts.codec.rows import PackIdentity, Row, from_text, to_text
from assay.stages.records import JudgedMutant, MutantOutcome
from assay.values import ABSENT, canonical_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


def mutant_row(identity: PackIdentity, mutant: JudgedMutant) -> Row:
    """Return the row of a mutant."""
    return (
        *identity.columns,
        mutant.template_id,
        mutant.task_id,
        mutant.index,
        mutant.kind,
        mutant.call_index,
        mutant.tool,
        mutant.path,
        _value_text(mutant.before),
        _value_text(mutant.after),
        mutant.status,
        mutant.killed_by,
        [
            {"assertion": each.assertion, "status": each.status, "failure": to_text(each.failure)}
            for each in mutant.outcomes
        ],
    )


def read_mutants(rows: Iterable[Mapping[str, Any]]) -> Iterator[JudgedMutant]:
    """Read back the mutants, in order."""
    for row in rows:
        yield JudgedMutant(
            task_id=row["task_id"],
            template_id=row["template_id"],
            index=row["mutant"],
            kind=row["kind"],
            call_index=row["call_index"],
            tool=row["tool"],
            path=row["path"],
            before=_read_value(row["before"]),
            after=_read_value(row["after"]),
            outcomes=tuple(
                MutantOutcome(assertion=each["assertion"], status=each["status"], failure=from_text(each["failure"]))
                for each in row["outcomes"]
            ),
        )


def _value_text(value: Any) -> str | None:
    """Write a value; null is one here, and only `ABSENT` is none."""
    return None if value is ABSENT else canonical_json(value)


def _read_value(text: str | None) -> Any:
    return ABSENT if text is None else json.loads(text)
