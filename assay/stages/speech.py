"""What was said: the spoken turns of one conversation, ready to be searched."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from assay.stages.matching import composed

if TYPE_CHECKING:
    from assay.stages.records import ConversationPlan, RenderedConversation

USER: Final = "user"
ASSISTANT: Final = "assistant"


class Speech(NamedTuple):
    """One spoken turn.

    Attributes:
        turn: 0-based position among all turns, calls included.
        role: `user` or `assistant`.
        entry_index: for a reply: its index in `user_simulator_turns`.
        milestone: for an assistant text: its index in `assistant_milestones`.
        text: composed (NFC).
    """

    turn: int
    role: str
    entry_index: int | None
    milestone: int | None
    text: str


def speeches_of(conversation: RenderedConversation, plan: ConversationPlan) -> tuple[Speech, ...]:
    """Return what was said in a rendered conversation."""
    return tuple(
        Speech(
            turn=turn.turn,
            role=turn.role,
            entry_index=step.entry_index,
            milestone=step.milestones[0] if step.milestones else None,
            text=composed(turn.content),
        )
        for turn, step in zip(conversation.turns, plan.steps, strict=True)
        if turn.content is not None
    )
