"""What an assistant's own words must not do (ruling 19): tell a withheld value first, or name a tool."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.findings import Finding, finding
from assay.stages.matching import states
from assay.stages.speech import ASSISTANT
from assay.stages.tool_names import folded
from assay.values import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from assay.findings import Place
    from assay.stages.speech import Speech
    from assay.stages.tool_names import ToolNames
    from assay.values import JsonValue


def revealed_values(
    speeches: Sequence[Speech], withheld: Mapping[str, JsonValue]
) -> Iterator[tuple[Speech, str, JsonValue]]:
    """Yield each assistant turn that states a withheld value that the user has not stated before it."""
    for slot, value in withheld.items():
        first = next((speech for speech in speeches if states(speech.text, value)), None)
        if first is not None and first.role == ASSISTANT:
            yield first, slot, value


def named_tools(speeches: Sequence[Speech], tool_names: ToolNames) -> Iterator[tuple[Speech, str]]:
    """Yield each assistant turn that names a tool, with the tool."""
    for speech in speeches:
        if speech.role == ASSISTANT:
            for tool in tool_names.named_in(folded(speech.text)):
                yield speech, tool


def reveal_finding(
    speech: Speech, slot: str, value: JsonValue, at: Place, *, template_id: str, task_id: str
) -> Finding:
    """Return the finding about a withheld value that the assistant states first."""
    return finding(
        "assistant_reveals_withheld_value",
        f"Turn {speech.turn + 1} (assistant) of {template_id} states {shown(value)}, the withheld value of `{slot}`,"
        f" before the user does",
        at=at,
        template_id=template_id,
        task_id=task_id,
        slot=slot,
        detail={"turn": speech.turn, "value": value},
    )


def tool_name_finding(speech: Speech, tool: str, at: Place, *, template_id: str, task_id: str) -> Finding:
    """Return the finding about an assistant text that names a tool."""
    return finding(
        "assistant_names_tool",
        f"Turn {speech.turn + 1} (assistant) of {template_id} names the tool `{tool}`",
        at=at,
        template_id=template_id,
        task_id=task_id,
        tool=tool,
        detail={"turn": speech.turn},
    )
