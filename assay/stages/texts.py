"""The texts of a template in the run's language, and what is wrong with them.

All that can be known without an instance is found here, once per template: missing blocks and languages, names without
a value, blank texts. What holds for a text of the manifest is told once for all templates.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from assay.findings import Finding, finding
from assay.findings.spelling import did_you_mean
from assay.pack.bounds import MAX_LISTED
from assay.stages.placeholders import lookalikes_in, names_in
from assay.stages.slot_names import SLOT_NAME, shown_slot_name
from assay.stages.tally import FindingTally
from assay.stages.text_sources import text_sources

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from assay.findings import Place
    from assay.pack.document import Anchor
    from assay.pack.model import Pack, Template
    from assay.stages.tally import TallyKey
    from assay.stages.text_sources import TextSource

_MAX_NAMED: Final = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """One text in the run's language.

    Attributes:
        template: with placeholders.
        names: its placeholders.
        at: where it stands.
        fixed: values of placeholders that are no slots (`slot_name`).
    """

    template: str
    names: tuple[str, ...]
    at: Anchor
    fixed: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateTexts:
    """All texts of a template: the opening turn, replies by entry index, assistant steps by milestone index."""

    opening: Text
    replies: Mapping[int, Text]
    steps: Mapping[int, Text]


class TextReader:
    """Reads the texts of templates in one language and collects what is wrong with them."""

    def __init__(self, pack: Pack, language: str) -> None:
        self._manifest = pack.manifest
        self._language = language
        self._tally = FindingTally()
        self._first_without: dict[str, TallyKey] = {}

    def findings(self) -> tuple[Finding, ...]:
        """Return what was found so far."""
        return self._tally.findings()

    def read(self, template: Template) -> TemplateTexts | None:
        """Return a template's texts; None when one of them cannot be rendered, which the findings explain."""
        opening: Text | None = None
        replies: dict[int, Text] = {}
        steps: dict[int, Text] = {}
        complete = True
        for source in text_sources(template, self._manifest):
            text = self._read(source, template)
            if text is None:
                complete = False
            elif source.turn is not None:
                replies[source.turn.index] = text
            elif source.milestone is not None:
                steps[source.milestone.index] = text
            else:
                opening = text
        if opening is None or not complete:
            return None
        return TemplateTexts(opening=opening, replies=replies, steps=steps)

    def _read(self, source: TextSource, template: Template) -> Text | None:
        if source.block is None:
            self._tell_missing(source, template)
            return None
        if self._language not in source.block:
            self._tell_gap(source, template)
            return None
        written = source.block[self._language]
        at = source.at[self._language]
        self._tell_lookalikes(written, at, source, template)
        if not written.strip():
            self._tally.add(_empty(source, template, self._language))
            return None
        names = names_in(written)
        fixed = self._fixed_values(names, source, template)
        if fixed is None:
            return None
        bound = _bound_names(source, template) | fixed.keys()
        unbound = [name for name in names if name not in bound]
        if unbound:
            self._tally.add(unbound_placeholder(unbound, bound, at.place(), template.template_id))
            return None
        return Text(template=written, names=names, at=at, fixed=fixed)

    def _fixed_values(self, names: tuple[str, ...], source: TextSource, template: Template) -> Mapping[str, str] | None:
        """Return the value of `{slot_name}` where a text uses it; None when it has none, which is told."""
        if SLOT_NAME not in names or source.milestone is None or template.slot_named(SLOT_NAME) is not None:
            return {}
        shown_name = shown_slot_name(source.milestone, template, self._language)
        if isinstance(shown_name, str):
            return {SLOT_NAME: shown_name}
        if shown_name is not None:
            self._tally.add(shown_name)
        return None

    def _tell_missing(self, source: TextSource, template: Template) -> None:
        """Tell that a step has no text anywhere, once per template and type; the first of a type is the root."""
        milestone = source.milestone
        if milestone is None or template.at.data("assistant_turn_templates", milestone.type) is not None:
            return
        told = finding(
            "missing_assistant_turn_templates",
            f"Milestone {milestone.index + 1} (`{milestone.type}`) of {template.template_id} has no text: neither it,"
            f" nor the template, nor the manifest declares one.",
            at=milestone.at.place(),
            fix=f"Add `assistant_turn_templates.{milestone.type}` with a text in `{self._language}` to the manifest.",
            template_id=template.template_id,
        )
        root = self._first_without.get(milestone.type)
        key = self._tally.add(told, root=root)
        self._first_without.setdefault(milestone.type, key)

    def _tell_gap(self, source: TextSource, template: Template) -> None:
        """Tell that a block lacks the language, unless the loader has: no block there, or no text in it."""
        written = source.at.data()
        if not isinstance(written, dict) or self._language in written:
            return
        of_whom = f" of {template.template_id}" if source.of_template else " of the manifest"
        told = finding(
            "language_gap",
            f"`{source.name}`{of_whom} has no text in `{self._language}`, the language of this run.",
            at=source.at.place(),
            template_id=template.template_id if source.of_template else None,
            detail={"block": source.name, "language": self._language, "declared": sorted(source.block or ())},
        )
        self._tally.add(told)

    def _tell_lookalikes(self, written: str, at: Anchor, source: TextSource, template: Template) -> None:
        for group in lookalikes_in(written):
            told = suspicious_placeholder(group, at.place(), template.template_id if source.of_template else None)
            self._tally.add(told, apart=group)


def suspicious_placeholder(group: str, at: Place, template_id: str | None) -> Finding:
    """Return the warning about a brace group that looks like a placeholder but is none (ruling 22)."""
    return finding(
        "suspicious_placeholder",
        f"`{group}` looks like a placeholder but is none: it stays in the text as it is.",
        at=at,
        template_id=template_id,
        detail={"group": group},
    )


def unbound_placeholder(names: Iterable[str], known: Iterable[str], at: Place, template_id: str) -> Finding:
    """Return the error about placeholders to which nothing gives a value."""
    missing, known = sorted(names), sorted(known)
    more = ", ..." if len(missing) > _MAX_NAMED else ""
    listed = ", ".join(f"`{{{name}}}`" for name in missing[:_MAX_NAMED]) + more
    hint = did_you_mean(missing[0], known) if len(missing) == 1 else ""
    named = ", ".join(f"`{name}`" for name in known[:_MAX_NAMED])
    declared = f"known are {named}{', ...' if len(known) > _MAX_NAMED else ''}" if known else "no name is known"
    return finding(
        "unbound_placeholder",
        f"Nothing gives {listed} a value here; {declared}.{hint}",
        at=at,
        template_id=template_id,
        detail={"names": missing[:MAX_LISTED]},
    )


def declared_slots(template: Template) -> set[str]:
    """Return the names of a template's slots, including those that loading could not use, as it has told."""
    written = template.at.data("slots")
    return {slot.name for slot in template.slots} | set(written if isinstance(written, dict) else ())


def _bound_names(source: TextSource, template: Template) -> set[str]:
    """Return the names that have a value in a text: slots, and the aliases of a correcting turn in that turn alone."""
    names = declared_slots(template)
    if source.turn is not None:
        names.update(update.bind_as for update in source.turn.slot_updates if update.bind_as is not None)
    return names


def _empty(source: TextSource, template: Template, language: str) -> Finding:
    return finding(
        "empty_turn",
        f"The text of `{source.name}` in `{language}` is blank.",
        at=source.at.place(language),
        template_id=template.template_id if source.of_template else None,
    )
