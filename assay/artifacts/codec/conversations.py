"""Rendered conversations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.artifacts import tables
from assay.artifacts.codec.rows import (
    PackIdentity,
    by_task,
    from_text,
    make_table,
)
from assay.stages.records import (
    GuardViolation,
    RenderedConversation,
    RenderedTurn,
)
from assay.values import canonical_json

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa


def rendered_conversations_table(identity: PackIdentity, conversations: Iterable[RenderedConversation]) -> pa.Table:
    """One row per turn."""
    rows = (
        (
            *identity.columns,
            each.template_id,
            each.task_id,
            each.language,
            each.system_prompt_id,
            turn.turn,
            turn.role,
            turn.content,
            turn.call_group,
            [_violation(broken) for broken in each.guard_violations if broken.turn == turn.turn],
        )
        for each in conversations
        for turn in each.turns
    )
    return make_table(tables.RENDERED_CONVERSATIONS, rows)


def _violation(broken: GuardViolation) -> dict[str, Any]:
    return {
        "guard": broken.guard,
        "slot": broken.slot,
        "value": None if broken.slot is None else canonical_json(broken.value),
        "tool": broken.tool,
        "phrase": broken.phrase,
    }


def read_rendered_conversations(table: pa.Table) -> tuple[RenderedConversation, ...]:
    """Read back the conversations, in order."""
    return tuple(_read_conversation(list(rows)) for rows in by_task(table))


def _read_conversation(rows: list[dict[str, Any]]) -> RenderedConversation:
    first = rows[0]
    return RenderedConversation(
        task_id=first["task_id"],
        template_id=first["template_id"],
        language=first["language"],
        system_prompt_id=first["system_prompt_id"],
        turns=tuple(
            RenderedTurn(turn=row["turn"], role=row["role"], content=row["content"], call_group=row["call_group"])
            for row in rows
        ),
        guard_violations=tuple(
            GuardViolation(turn=row["turn"], **{**broken, "value": from_text(broken["value"])})
            for row in rows
            for broken in row["violations"]
        ),
    )
