"""Rendered conversations."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from assay.artifacts.codec.rows import PackIdentity, Row, from_text
from assay.stages.records import (
    GuardViolation,
    RenderedConversation,
    RenderedTurn,
)
from assay.values import canonical_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def rendered_conversation_rows(identity: PackIdentity, conversation: RenderedConversation) -> Iterator[Row]:
    """Yield one row per turn."""
    violations = conversation.guard_violations
    for turn in conversation.turns:
        yield (
            *identity.columns,
            conversation.template_id,
            conversation.task_id,
            conversation.language,
            conversation.system_prompt_id,
            turn.turn,
            turn.role,
            turn.content,
            turn.call_group,
            [_violation(broken) for broken in violations if broken.turn == turn.turn],
        )


def _violation(broken: GuardViolation) -> dict[str, Any]:
    return {
        "guard": broken.guard,
        "slot": broken.slot,
        "value": None if broken.slot is None else canonical_json(broken.value),
        "tool": broken.tool,
        "phrase": broken.phrase,
    }


def read_rendered_conversations(rows: Iterable[dict[str, Any]]) -> Iterator[RenderedConversation]:
    """Read back the conversations, in order. Rows of one task stand together."""
    for _, turns in groupby(rows, key=itemgetter("task_id")):
        yield _read_conversation(list(turns))


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
