"""Tools that templates name: do they exist, and may the candidate see them?

A tool that `tools.json` does not declare is one fault however many templates use it: its first use is the root, every
further use a consequence of that.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from assay.findings import finding
from assay.findings.spelling import near_miss
from assay.pack.wording import quoted

if TYPE_CHECKING:
    from assay.findings import Finding
    from assay.pack.fields import Fields
    from assay.pack.model import Milestone


@dataclass(slots=True)
class Catalogue:
    """The names in `tools.json`, in file order; `known` is False when the file could not be read."""

    names: tuple[str, ...]
    known: bool = True
    _roots: dict[str, Finding] = field(default_factory=dict)

    def expose(
        self, template: Fields, required: list[tuple[int, str]], milestones: tuple[Milestone, ...]
    ) -> tuple[str, ...]:
        """Return the tools that a template shows to the candidate, and report every tool name that does not fit.

        `tools_present` absent or null exposes the whole catalogue; an empty list exposes nothing.

        Args:
            template: reader of the template.
            required: its `required_tools`, with their indices.
            milestones: its milestones.
        """
        present = template.distinct_names("tools_present")
        for index, name in required:
            self._check(name, template, "required_tools", index)
        for name, index in present.items():
            self._check(name, template, "tools_present", index)
        for milestone in milestones:
            if milestone.tool is not None:
                self._check(milestone.tool, template, "assistant_milestones", milestone.index, "tool")
        if template.get("tools_present") is None:
            return self.names
        for index, name in required:
            if name not in present and (name in self.names or not self.known):
                message = f"`required_tools[{index}]` needs {quoted(name)}, which `tools_present` does not expose."
                template.report("tool_not_exposed", message, "required_tools", index, tool=name)
        return tuple(present)

    def _check(self, name: str, template: Fields, *path: str | int) -> None:
        if not self.known or name in self.names:
            return
        meant = near_miss(name, self.names)
        missing = finding(
            "missing_tool",
            f"{template.named(*path)} names the tool {quoted(name)}, which the catalogue does not declare.",
            at=template.at.place(*path),
            fix=f"Write {quoted(meant)}, or declare the tool." if meant is not None else None,
            tool=name,
            **template.concerns,
            detail={"field": path[0]},
        )
        root = self._roots.setdefault(name, missing)
        template.found.keep(missing if root is missing else missing.following(root))
