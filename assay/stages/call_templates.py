"""How a `tool_call` milestone becomes a call: which slots it reads, which results, which it takes unasked.

Declared arguments come first. A name in the tool's top-level `required` list that is not among them and is the name of
a slot takes that slot's value; nothing else is ever filled in (the seed on task-template fields;
`reference/trace-replay.md` 2.2 and 2.3).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from assay.stages.placeholders import fill, markers_in, names_in, texts_in

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from assay.findings import Place
    from assay.pack.model import Milestone, Template, Tool
    from assay.values import JsonObject, JsonPath, JsonValue


class SlotUse(NamedTuple):
    """A slot that a call reads, and the place in its arguments where the value goes."""

    slot: str
    path: JsonPath


@dataclass(frozen=True, slots=True, kw_only=True)
class CallTemplate:
    """One call of a template.

    Attributes:
        milestone: it.
        tool: the called tool; None when the pack has none of that name (loading has told).
        filled: required parameters that take the value of the slot of the same name.
        uses: every slot that the call reads.
        markers: path within the arguments -> body of a `from_result` marker, as written.
    """

    milestone: Milestone
    tool: Tool | None
    filled: tuple[str, ...]
    uses: tuple[SlotUse, ...]
    markers: Mapping[JsonPath, Any]

    def bind(self, values: Mapping[str, JsonValue]) -> JsonObject:
        """Return the call's arguments under the slot values in force; markers are left in place.

        Raises:
            KeyError: for a placeholder without a value.
        """
        declared = {name: fill(value, values) for name, value in self.milestone.args.items()}
        return {**declared, **{name: values[name] for name in self.filled}}

    def place_of(self, path: JsonPath) -> Place:
        """Return the place of an argument, or of the milestone when the argument does not stand in the file."""
        declared = self.milestone.at.data("args")
        if path and isinstance(declared, dict) and path[0] in declared:
            return self.milestone.at.place("args", *path)
        return self.milestone.at.place()


def call_templates(template: Template, tools: Mapping[str, Tool]) -> dict[int, CallTemplate]:
    """Return the calls of a template by milestone index."""
    slots = {slot.name for slot in template.slots}
    return {
        milestone.index: _call_template(milestone, tools.get(milestone.tool or ""), slots)
        for milestone in template.milestones
        if milestone.type == "tool_call"
    }


def _call_template(milestone: Milestone, tool: Tool | None, slots: set[str]) -> CallTemplate:
    required = () if tool is None else tool.required
    filled = tuple(dict.fromkeys(name for name in required if name not in milestone.args and name in slots))
    read = [SlotUse(name, path) for path, text in texts_in(milestone.args) for name in names_in(text)]
    return CallTemplate(
        milestone=milestone,
        tool=tool,
        filled=filled,
        uses=(*read, *(SlotUse(name, (name,)) for name in filled)),
        markers=dict(markers_in(milestone.args)),
    )
