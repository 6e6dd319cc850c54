"""Where each text of a template comes from.

The opening turn and the replies have one source each. The text of an assistant step is the milestone's own, else the
template's for that type of milestone, else the manifest's; a nearer block replaces a farther one whole, languages are
not merged (`reference/bind-plan-render.md` 3.4).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.pack.model import TEXT_MILESTONES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.pack.document import Anchor
    from assay.pack.model import LanguageTexts, Manifest, Milestone, SimulatorTurn, Template


@dataclass(frozen=True, slots=True, kw_only=True)
class TextSource:
    """The block of texts by language that one turn is taken from.

    Attributes:
        name: what people call it: `user_turn_templates`, `user_simulator_turns`, `content_template` or
            `assistant_turn_templates.<type>`.
        block: None for an assistant step that has no text anywhere.
        at: the block; for a missing one the milestone.
        of_template: the block belongs to the template alone, not to the whole pack.
        turn: the simulator turn, for a reply.
        milestone: the milestone, for an assistant step.
    """

    name: str
    block: LanguageTexts | None
    at: Anchor
    of_template: bool = True
    turn: SimulatorTurn | None = None
    milestone: Milestone | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageGap:
    """A block of texts that lacks the run's language."""

    template_id: str
    source: TextSource

    @property
    def block(self) -> str:
        """The block's name."""
        return self.source.name

    @property
    def after(self) -> str | None:
        """For a reply: the milestone that it comes after."""
        return None if self.source.turn is None else self.source.turn.after


def text_sources(template: Template, manifest: Manifest) -> Iterator[TextSource]:
    """Yield the source of every text of a template: opening turn, replies, assistant steps."""
    key = "user_turn_templates"
    if template.at.data(key) is None and template.at.data("first_turn_templates") is not None:
        key = "first_turn_templates"
    yield TextSource(name=key, block=template.user_turn_templates, at=template.at[key])
    for turn in template.simulator_turns:
        block, at = turn.content_template, turn.at["content_template"]
        yield TextSource(name="user_simulator_turns", block=block, at=at, turn=turn)
    for milestone in template.milestones:
        if milestone.type in TEXT_MILESTONES:
            yield _source_of_step(milestone, template, manifest)


def _source_of_step(milestone: Milestone, template: Template, manifest: Manifest) -> TextSource:
    if milestone.content_template:
        block, at = milestone.content_template, milestone.at["content_template"]
        return TextSource(name="content_template", block=block, at=at, milestone=milestone)
    name = f"assistant_turn_templates.{milestone.type}"
    for holder in (template, manifest):
        found = holder.assistant_turn_templates.get(milestone.type)
        if found is not None:
            at = holder.at["assistant_turn_templates"][milestone.type]
            return TextSource(name=name, block=found, at=at, of_template=holder is template, milestone=milestone)
    return TextSource(name=name, block=None, at=milestone.at, milestone=milestone)


def language_gaps(template: Template, manifest: Manifest, language: str) -> tuple[LanguageGap, ...]:
    """Return the blocks of a template that exist but lack a language, in the order of `text_sources`."""
    return tuple(
        LanguageGap(template_id=template.template_id, source=source)
        for source in text_sources(template, manifest)
        if source.block is not None and language not in source.block
    )
