"""The tool catalogue: `tools.json` (`reference/loading.md` 2.2).

What a definition's parameter schema may say is checked by `assay.schema`; here an entry only has to have a name of its
own, because everything else in a pack refers to it by that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from assay.findings import Severity
from assay.pack.bounds import MAX_NAME
from assay.pack.fields import Fields
from assay.pack.model import Tool
from assay.pack.wording import described, quoted, spot

if TYPE_CHECKING:
    from assay.pack.collector import Collector
    from assay.pack.document import Document

_FLAGS: Final = ("x-mutates", "x-requires-confirmation")
_TOOL_KEYS: Final = ("type", "function", *_FLAGS)
_FUNCTION_KEYS: Final = ("name", "description", "parameters", "strict", *_FLAGS)


def read_tools(document: Document, found: Collector) -> tuple[Tool, ...] | None:
    """Return the tools in file order, entries without a usable name left out; None, reported, for no list at all.

    A name that stands twice is reported at its second place and the first entry counts.
    """
    top = Fields(data={}, at=document.anchor(), found=found)
    if not isinstance(document.data, list):
        top.wrong("a list of tools", document.data)
        return None
    first: dict[str, Tool] = {}
    for index, item in enumerate(document.data):
        tool = _read_tool(item, top, index)
        if tool is not None and tool.name in first:
            _report_repeated(first[tool.name], tool, found)
        elif tool is not None:
            first[tool.name] = tool
    return tuple(first.values())


def _read_tool(item: Any, top: Fields, index: int) -> Tool | None:
    """Read one entry; None, reported, for one that has no usable name."""
    if not isinstance(item, dict):
        top.report("tool_not_object", f"Tool {index + 1} must be an object, but it is {described(item)}.", index)
        return None
    function = item.get("function")
    if not isinstance(function, dict):
        message = f"`function` of tool {index + 1} must be an object, but it is {described(function)}."
        top.report("tool_function_not_object", message, index, "function")
        return None
    name = function.get("name")
    if not isinstance(name, str) or not name.strip():
        message = f"`function.name` of tool {index + 1} must be a text that is not blank, but it is {described(name)}."
        top.report("tool_name_not_nonempty_string", message, index, "function", "name")
        return None
    if len(name) > MAX_NAME:
        message = f"`function.name` of tool {index + 1} has {len(name)} characters; at most {MAX_NAME} are read."
        top.report("name_too_long", message, index, "function", "name")
        return None
    return _named_tool(name, top.below(index, item, tool=name))


def _named_tool(name: str, entry: Fields) -> Tool:
    function = entry.below("function", entry.mapping("function"))
    entry.check_keys(_TOOL_KEYS, unknown=None)
    function.check_keys(_FUNCTION_KEYS, unknown=None)
    description, parameters = function.get("description"), function.get("parameters")
    if isinstance(description, str) and not description.strip():
        message = f"{function.named('description')} is blank."
        function.report("blank_text", message, "description", severity=Severity.WARNING)
    return Tool(
        name=name,
        description=description if isinstance(description, str) else None,
        parameters=parameters if isinstance(parameters, dict) else {},
        mutates=_flag(entry, function, "x-mutates"),
        requires_confirmation=_flag(entry, function, "x-requires-confirmation"),
        definition=dict(entry.data),
        at=entry.at,
    )


def _flag(entry: Fields, function: Fields, name: str) -> bool:
    """Read a flag that may stand beside `function` or in it."""
    return entry.flag(name, default=False) or function.flag(name, default=False)


def _report_repeated(first: Tool, again: Tool, found: Collector) -> None:
    where = first.at.place("function", "name")
    message = f"The tool {quoted(again.name)} is declared here and at {spot(where)}."
    found.add("duplicate_tool", message, at=again.at.place("function", "name"), tool=again.name)
