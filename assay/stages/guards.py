"""Surface guards: what the user's turns must say and must not say (`reference/bind-plan-render.md` 3.7; ruling 23).

* A visible slot's initial value stands in the opening turn; every corrected value, and what the template lists under
  `must_preserve`, stands somewhere in what the user says.
* A withheld slot's value, and what the template lists under `must_omit`, does not stand in the opening turn.
* No turn names a tool or holds a phrase that the template forbids.

Only the user's turns are looked at. What the guards need of a template is worked out once; looking at one conversation
then takes a few comparisons of text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from assay.findings import Finding, finding
from assay.findings.spelling import did_you_mean
from assay.stages.matching import states
from assay.stages.records import GuardViolation
from assay.stages.texts import declared_slots
from assay.stages.tool_names import folded
from assay.values import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.config import SurfaceGeneration
    from assay.findings import Place
    from assay.pack.model import Template
    from assay.stages.records import TaskInstance
    from assay.stages.speech import Speech
    from assay.stages.tool_names import ToolNames
    from assay.values import JsonValue

_TOOL_NAMES: Final = "tool_names"
"""The entry of `must_not_mention` that stands for all guarded tool names."""


class Guards:
    """The guards of one template."""

    def __init__(self, template: Template, settings: SurfaceGeneration, tool_names: ToolNames) -> None:
        listed = template.paraphrase
        names = {slot.name for slot in template.slots}
        visible = {slot.name for slot in template.slots if slot.visible_in_first_turn}
        automatic = visible if settings.preserve_slot_values else set()
        declared = names.intersection(listed.must_preserve)
        self._in_first = sorted(automatic)
        self._declared = declared - automatic
        self._preserved = sorted(declared | automatic)
        self._omitted = sorted(names.intersection(listed.must_omit) | (names - visible))
        forbidden = listed.must_not_mention
        guards_tools = settings.prevent_tool_name_leakage or _TOOL_NAMES in forbidden
        self._tool_names = tool_names if guards_tools else None
        phrases = dict.fromkeys(phrase for phrase in forbidden if phrase != _TOOL_NAMES and phrase.strip())
        self._phrases = tuple((phrase, folded(phrase)) for phrase in phrases)

    def check(self, instance: TaskInstance, turns: Sequence[Speech]) -> tuple[GuardViolation, ...]:
        """Return what the user's turns of a conversation break, each once: values first, then tools, then phrases."""
        return (*self._missing(instance, turns), *self._told(instance, turns), *self._mentioned(turns))

    def _missing(self, instance: TaskInstance, turns: Sequence[Speech]) -> Iterator[GuardViolation]:
        """Yield values that should have been said."""
        first = turns[0].text
        initial = instance.slots_initial or instance.slots
        missing = {name for name in self._in_first if not states(first, initial[name])}
        for name in self._in_first:
            if name in missing:
                yield GuardViolation(guard="must_preserve", turn=turns[0].turn, slot=name, value=initial[name])
        surface = "\n".join(turn.text for turn in turns)
        for name in self._preserved:
            seen = {str(initial[name])} if name in missing else set()
            for entry_index, value in self._values_to_preserve(name, instance):
                if str(value) not in seen and not states(surface, value):
                    turn = _turn_of(entry_index, turns)
                    yield GuardViolation(guard="must_preserve", turn=turn, slot=name, value=value)
                seen.add(str(value))

    def _values_to_preserve(self, name: str, instance: TaskInstance) -> Iterator[tuple[int | None, JsonValue]]:
        """Yield values that must be said somewhere, with the entry that should say them (None: the opening turn)."""
        if name in self._declared:
            yield None, (instance.slots_initial or instance.slots)[name]
        for update in instance.slot_updates:
            if name in update.values:
                yield update.entry_index, update.values[name]

    def _told(self, instance: TaskInstance, turns: Sequence[Speech]) -> Iterator[GuardViolation]:
        """Yield values that the opening turn gives away."""
        opening = turns[0]
        for name in self._omitted:
            if states(opening.text, instance.slots[name]):
                yield GuardViolation(guard="must_omit", turn=opening.turn, slot=name, value=instance.slots[name])

    def _mentioned(self, turns: Sequence[Speech]) -> Iterator[GuardViolation]:
        """Yield tool names and phrases that a turn holds, each at the first turn that does."""
        if self._tool_names is None and not self._phrases:
            return
        tools: dict[str, int] = {}
        phrases: dict[str, int] = {}
        for turn in turns:
            text = folded(turn.text)
            for tool in self._tool_names.named_in(text) if self._tool_names is not None else ():
                tools.setdefault(tool, turn.turn)
            for phrase, wanted in self._phrases:
                if wanted in text:
                    phrases.setdefault(phrase, turn.turn)
        for tool in sorted(tools):
            yield GuardViolation(guard="must_not_mention", turn=tools[tool], tool=tool)
        for phrase, _ in self._phrases:
            if phrase in phrases:
                yield GuardViolation(guard="must_not_mention", turn=phrases[phrase], phrase=phrase)


def _turn_of(entry_index: int | None, turns: Sequence[Speech]) -> int:
    """Return the position of a simulator entry's turn; of the opening turn when it is not spoken."""
    return next((turn.turn for turn in turns if turn.entry_index == entry_index), turns[0].turn)


def violation_finding(violation: GuardViolation, at: Place, *, template_id: str, task_id: str) -> Finding:
    """Return the finding about a broken guard, at the text of the turn that breaks it."""
    return finding(
        "representative_surface_guard_violation",
        f"Turn {violation.turn + 1} (user) of {template_id} {_breach(violation)}",
        at=at,
        template_id=template_id,
        task_id=task_id,
        slot=violation.slot,
        tool=violation.tool,
        detail={
            "guard": violation.guard,
            "turn": violation.turn,
            **({"value": violation.value} if violation.slot is not None else {}),
            **({"phrase": violation.phrase} if violation.phrase is not None else {}),
        },
    )


def _breach(violation: GuardViolation) -> str:
    if violation.guard == "must_preserve":
        return f"does not state {shown(violation.value)}, the value of `{violation.slot}`"
    if violation.guard == "must_omit":
        return f"states {shown(violation.value)}, the value of `{violation.slot}`, which must not be told there"
    if violation.tool is not None:
        return f"names the tool `{violation.tool}`"
    return f"holds the forbidden phrase {shown(violation.phrase)}"


def ineffective_guards(template: Template) -> Iterator[Finding]:
    """Yield the entries of a template's guard lists that guard nothing."""
    names = sorted(declared_slots(template))
    for key in ("must_preserve", "must_omit"):
        for index, name in enumerate(getattr(template.paraphrase, key)):
            if name not in names:
                message = f"`{key}` names `{name}`, which is no slot of {template.template_id}."
                yield _ineffective(template, message + did_you_mean(name, names), key, index)
    for index, phrase in enumerate(template.paraphrase.must_not_mention):
        if not phrase.strip():
            yield _ineffective(template, "`must_not_mention` holds an empty phrase.", "must_not_mention", index)


def _ineffective(template: Template, message: str, key: str, index: int) -> Finding:
    place = template.at.place("paraphrase", key, index)
    return finding("ineffective_guard", message, at=place, template_id=template.template_id)
