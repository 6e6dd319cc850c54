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
    from assay.pack.fields import Fields
    from assay.pack.model import Milestone


@dataclass(slots=True)
class _Uses:
    """What the uses of one missing tool share: the fix, and the id of the first finding."""

    fix: str | None
    root: str | None = None


@dataclass(slots=True)
class Catalogue:
    """The names in `tools.json`, in file order; `known` is False when the file could not be read."""

    names: tuple[str, ...]
    known: bool = True
    _uses: dict[str, _Uses] = field(default_factory=dict)

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
        if name not in self._uses:
            meant = near_miss(name, self.names)
            self._uses[name] = _Uses(f"Write {quoted(meant)}, or declare the tool." if meant is not None else None)
        uses = self._uses[name]
        missing = finding(
            "missing_tool",
            f"{template.named(*path)} names the tool {quoted(name)}, which the catalogue does not declare.",
            at=template.at.place(*path),
            fix=uses.fix,
            tool=name,
            **template.concerns,
            root=uses.root,
            detail={"field": path[0]},
        )
        uses.root = uses.root or missing.id
        template.found.keep(missing)
