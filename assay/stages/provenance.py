"""Where the values of a call come from: nothing may be expected that a model could not know (ruling 18).

* A slot's value must have been stated by the user before the call that uses it, in the value then in force.
* A literal argument should stand in a user turn, an earlier result, the called tool's descriptions, enums or defaults,
  or the system prompt. Booleans, null and empty text are left out: they are not told, but decided.

Texts are compared as in the surface guards (`assay.stages.matching`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from assay.findings import Finding, finding
from assay.stages.call_templates import call_templates
from assay.stages.matching import composed, states
from assay.stages.placeholders import is_marker, names_in
from assay.stages.speech import USER, speeches_of
from assay.stages.tally import FindingTally
from assay.stages.timeline import moments
from assay.values import path_text, same_value, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from assay.pack.model import Pack, Tool
    from assay.stages.call_templates import CallTemplate
    from assay.stages.records import ConversationPlan, RenderedConversation, Replay, TaskInstance
    from assay.values import JsonPath, JsonValue

_VALUE_KEYWORDS: Final = ("const", "default")
_LIST_KEYWORDS: Final = ("enum", "examples")
_TEXT_KEYWORDS: Final = ("description", "title")


class Literal(NamedTuple):
    """A literal within a call's arguments."""

    path: JsonPath
    value: JsonValue


class Provenance:
    """Looks at calls in their conversations and collects values that come from nowhere."""

    def __init__(self, pack: Pack) -> None:
        self._tally = FindingTally()
        self._system_prompt = composed(pack.manifest.system_prompt or "")
        self._unexplained: dict[tuple[str, int], tuple[Literal, ...]] = {}

    def findings(self) -> tuple[Finding, ...]:
        """Return what was found so far."""
        return self._tally.findings()

    def look_at(
        self,
        instance: TaskInstance,
        plan: ConversationPlan,
        conversation: RenderedConversation,
        calls: Mapping[int, CallTemplate],
        results: Sequence[JsonValue] | None = None,
    ) -> None:
        """Look at the calls of one conversation.

        Args:
            instance: the bound template.
            plan: its plan.
            conversation: the same in words.
            calls: the template's calls by milestone index.
            results: of all its calls in order. Without them, nothing is said about literals that stand after an earlier
                call; with them, only about those.
        """
        spoken = {speech.turn: speech.text for speech in speeches_of(conversation, plan) if speech.role == USER}
        missing = {violation.slot for violation in conversation.guard_violations if violation.guard == "must_preserve"}
        said: list[str] = []
        returned: list[JsonValue] = []
        called = 0
        for turn, step, values, _ in moments(instance, plan):
            if turn in spoken:
                said.append(spoken[turn])
            for milestone in step.milestones if step.kind == "calls" else ():
                if results is None:
                    self._look_at_slots(instance, calls[milestone], values, said, missing)
                if (results is None) == (called == 0):
                    self._look_at_literals(instance, calls[milestone], said, returned)
            if step.kind == "calls":
                returned.extend((results or ())[called : called + len(step.milestones)])
                called += len(step.milestones)

    def _look_at_slots(
        self,
        instance: TaskInstance,
        call: CallTemplate,
        values: Mapping[str, JsonValue],
        said: Sequence[str],
        missing: set[str | None],
    ) -> None:
        """Tell slots whose value nobody has stated; what a surface guard misses already is not told again."""
        for slot, path in {use.slot: use.path for use in reversed(call.uses)}.items():
            if slot not in missing and not any(states(text, values[slot]) for text in said):
                self._tally.add(_unstated(instance, call, slot, path, values[slot]), apart=call.milestone.index)

    def _look_at_literals(
        self, instance: TaskInstance, call: CallTemplate, said: Sequence[str], returned: Sequence[JsonValue]
    ) -> None:
        key = (instance.template_id, call.milestone.index)
        if key not in self._unexplained:
            self._unexplained[key] = tuple(self._literals_without_source(call))
        for literal in self._unexplained[key]:
            known = any(states(text, literal.value) for text in said)
            if not known and not any(_holds(result, literal.value) for result in returned):
                self._tally.add(_from_nowhere(instance, call, literal), apart=(call.milestone.index, literal.path))

    def _literals_without_source(self, call: CallTemplate) -> Iterator[Literal]:
        """Yield the literals of a call that neither its tool nor the system prompt explains."""
        for literal in literals_in(call.milestone.args):
            if not states(self._system_prompt, literal.value) and not _explains(call.tool, literal.value):
                yield literal


class OriginsAfterReplay:
    """Finds literals that stand after an earlier call and that neither its result nor anything else explains.

    Everything else about origins is said before any call is executed (`assay.stages.schema_check`).
    """

    def __init__(self, pack: Pack) -> None:
        tools = {tool.name: tool for tool in reversed(pack.tools)}
        self._calls = {template.template_id: call_templates(template, tools) for template in reversed(pack.templates)}
        self._provenance = Provenance(pack)

    def look_at(
        self,
        instance: TaskInstance,
        plan: ConversationPlan,
        conversation: RenderedConversation,
        attempts: Iterable[Replay],
    ) -> None:
        """Look at the attempts at one instance: at the first, when it came to its end."""
        calls = self._calls.get(instance.template_id, {})
        for replay in attempts:
            if replay.attempt == 1 and replay.completed:
                results = [call.result for call in replay.calls]
                self._provenance.look_at(instance, plan, conversation, calls, results)

    def findings(self) -> tuple[Finding, ...]:
        """Return what was found so far."""
        return self._provenance.findings()


def literals_in(value: JsonValue, path: JsonPath = ()) -> Iterator[Literal]:
    """Yield the texts and numbers within an argument value that no slot and no result has part in."""
    if isinstance(value, dict):
        for key, item in () if is_marker(value) else value.items():
            yield from literals_in(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from literals_in(item, (*path, index))
    elif isinstance(value, str):
        if value.strip() and not names_in(value):
            yield Literal(path, value)
    elif value is not None and not isinstance(value, bool):
        yield Literal(path, value)


def _explains(tool: Tool | None, value: JsonValue) -> bool:
    """Say whether a tool's descriptions, enums, examples or defaults hold a value."""
    if tool is None:
        return False
    if tool.description is not None and states(composed(tool.description), value):
        return True
    return _schema_explains(tool.parameters, value)


def _schema_explains(schema: Any, value: JsonValue) -> bool:
    """Look through a schema and everything in it, wherever a keyword stands."""
    if isinstance(schema, list):
        return any(_schema_explains(item, value) for item in schema)
    if not isinstance(schema, dict):
        return False
    values = [schema[keyword] for keyword in _VALUE_KEYWORDS if keyword in schema]
    for keyword in _LIST_KEYWORDS:
        listed = schema.get(keyword)
        values.extend(listed if isinstance(listed, list) else ())
    texts = (schema.get(keyword) for keyword in _TEXT_KEYWORDS)
    return (
        any(_holds(each, value) for each in values)
        or any(isinstance(text, str) and states(composed(text), value) for text in texts)
        or any(_schema_explains(below, value) for below in schema.values())
    )


def _holds(container: JsonValue, value: JsonValue) -> bool:
    """Say whether a result holds a value: as it is, or within a text."""
    if isinstance(container, dict):
        return any(_holds(item, value) for item in container.values())
    if isinstance(container, list):
        return any(_holds(item, value) for item in container)
    if isinstance(container, str) and states(composed(container), value):
        return True
    return same_value(container, value)


def _unstated(instance: TaskInstance, call: CallTemplate, slot: str, path: JsonPath, value: JsonValue) -> Finding:
    argument = path_text(path).removeprefix("$.")
    return finding(
        "call_uses_unstated_value",
        f"The call of `{call.milestone.tool}` in {instance.template_id} passes `{slot}` as `{argument}`, but no user"
        f" turn before it states {shown(value)}",
        at=call.place_of(path),
        template_id=instance.template_id,
        task_id=instance.task_id,
        slot=slot,
        tool=call.milestone.tool,
        detail={"argument": argument, "value": value},
    )


def _from_nowhere(instance: TaskInstance, call: CallTemplate, literal: Literal) -> Finding:
    argument = path_text(literal.path).removeprefix("$.")
    return finding(
        "argument_from_nowhere",
        f"The call of `{call.milestone.tool}` in {instance.template_id} passes {shown(literal.value)} as `{argument}`,"
        f" which nothing before it says",
        at=call.place_of(literal.path),
        template_id=instance.template_id,
        task_id=instance.task_id,
        tool=call.milestone.tool,
        detail={"argument": argument, "value": literal.value},
    )
